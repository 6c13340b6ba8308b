import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { detectSpeaker, findCurrentSession } from "../../agents/profiles.ts";
import { doneLine, faint, joinParts, line } from "../../answers/document.ts";
import { locate, parsePlace } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { askForBranch } from "../../git/history/head.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { labelWords, type Speaker, toSpeaker } from "../../protocol/origin.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { callNoted } from "../../terminal/call-noted.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { forget } from "../forget/operation.ts";
import { showSession } from "../sessions/operation.ts";
import { listNotes, type NotesRequest, writeNote } from "./operation.ts";
import { formatNoteLines, howToNote, noMatchingNotes, noNotes, wordNotes } from "./words.ts";

/** `pm memory notes`. */
export async function notesCommand({ cwd, output }: CommandContext, options: NotesRequest): Promise<void> {
  const project = await findProject(cwd);
  const answer = await callNoted(listNotes, options, project, output);
  const isAll = Object.keys(options).length === 0;
  const none = isAll ? `${noNotes}. ${howToNote}` : noMatchingNotes;
  showAnswer(output, answer, () => (answer.annotations.length === 0 ? [[line(none)]] : wordNotes(answer)));
}

/** As the daemon takes it. Characters. */
const maxNoteChars = 10_000;

interface NoteOptions {
  session?: string;
  rejected?: boolean;
  decision?: string;
  undo?: boolean;
}

/** `pm note <text>`: inside of an agent that names its session it is about the session that it runs in. */
export async function noteCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { session: named, rejected, decision, undo }: NoteOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const by = detectSpeaker();
  if (undo) return undoNote(project, by, words, output);
  const at = findPlace(project, cwd, words[0]);
  const said = at === undefined ? words : words.slice(1);
  const note = (said.length === 1 && said[0] === "-" ? await text(process.stdin) : said.join(" ")).trim();
  if (note === "") {
    const place = at === undefined ? "" : `${at} `;
    throw new PommelError("usage", "The note is empty.", `Write \`pm note ${place}"what to remember"\`.`);
  }
  if (note.length > maxNoteChars) {
    throw new PommelError(
      "usage",
      `The note has ${note.length} characters.`,
      `A note can have at most ${maxNoteChars}.`,
    );
  }
  const around = findCurrentSession();
  const session = named ? await findSessionId(project, named) : around;
  const about = {
    ...(session !== null && { session_id: session }),
    rejected,
    decision,
    at,
    branch: (await askForBranch(cwd)) ?? undefined,
    by,
  };
  const { annotation } = await call(writeNote, { note, ...about }, project);
  const facts = joinParts(
    [
      by !== "person" && labelWords("note", { by }, "person"),
      annotation.session_id !== null && `session: ${shortenSessionId(annotation.session_id)}`,
      annotation.lines !== null && { text: formatNoteLines(annotation.lines) },
    ],
    ", ",
  );
  showAnswer(output, annotation, () => [
    [
      doneLine("Noted", ...(facts.length === 0 ? [] : [" (", ...facts, ")"]), ": ", {
        text: annotation.note,
        quotedChars: 80,
      }),
      line(faint("`pm note --undo` takes it back.")),
    ],
  ]);
}

/** The lines that a note is on, from the root, where its first word names a file that is there; else it is a word. */
function findPlace(project: Project, cwd: string, word: string | undefined): string | undefined {
  if (word === undefined || /\s/.test(word)) return undefined;
  const isThere = (name: string) => existsSync(resolve(cwd, name));
  const { file, lines } = parsePlace(word, isThere);
  if (lines === null || !isThere(file)) return undefined;
  return `${locate(project, cwd, file)}:${lines.first}-${lines.last}`;
}

/** Forgets the latest note of whoever asks: a person's own, not what an agent noted since. */
async function undoNote(
  project: Project,
  by: Speaker,
  words: readonly string[],
  output: Output,
): Promise<void> {
  if (words.length > 0)
    throw new PommelError("usage", "--undo takes no text.", "`pm memory forget --note ID` forgets another.");
  const { annotations } = await call(listNotes, { limit: maxResults }, project);
  const latest = annotations.find((note) => note.author === null && toSpeaker(note.source) === by);
  if (latest === undefined) throw new PommelError("not_found", "There is no note to undo.");
  await call(forget, { annotation: latest.id }, project);
  showAnswer(output, latest, () => [[doneLine("Taken back: ", { text: latest.note, quotedChars: 80 })]]);
}

async function findSessionId(project: Project, beginning: string): Promise<string> {
  if (!existsSync(project.memoryDb)) {
    throw new PommelError("not_found", "No sessions recorded yet.", "Omit --session.");
  }
  return (await call(showSession, { id: beginning }, project)).session.id;
}
