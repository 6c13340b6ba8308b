import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { detectSpeaker, findCurrentSession } from "../../agents/profiles.ts";
import { PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { askForBranch } from "../../git/history/head.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { labelNote, labelWords, type Speaker, toSpeaker } from "../../protocol/origin.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatPassage, indentText } from "../../terminal/markdown.ts";
import { formatMark, type Output, type Screen } from "../../terminal/output.ts";
import { formatWhen, shortenId, toOneLine } from "../../terminal/text.ts";
import { forget } from "../forget/operation.ts";
import { callNoted } from "../sessions/call-noted.ts";
import { showSession } from "../sessions/operation.ts";
import { type AnnotationsRequest, type AnnotationsResponse, listNotes, writeNote } from "./operation.ts";

/** `pm memory notes`. */
export async function annotationsCommand(
  { cwd, output }: CommandContext,
  options: AnnotationsRequest,
): Promise<void> {
  const project = await findProject(cwd);
  const answer = await callNoted(listNotes, options, project, output);
  output.result(answer, () => renderAnnotations(answer, output));
}

/** Notes for a person, each with when and where it was made. */
export function renderAnnotations({ annotations, total }: AnnotationsResponse, screen: Screen): string {
  const { colors } = screen;
  if (annotations.length === 0)
    return 'No notes. Write "Note to Pommel: ..." in a prompt, or run `pm note "..."`.';
  const blocks = annotations.map(({ id, note, session_id, turn, timestamp, branch, source, author }) => {
    const label = labelNote({ source, author }, "person");
    const session = session_id === null ? "" : `session: ${shortenId(session_id)}`;
    const place = [
      formatWhen(timestamp, screen),
      session + (turn === null ? "" : `:${turn}`),
      branch ?? "",
      id,
    ].filter((part) => part !== "");
    return [
      ...formatPassage(`${label}: ${note}`, screen),
      ...indentText(place.join(" | "), screen).map(colors.dim),
    ].join("\n");
  });
  const shown = annotations.length < total ? [colors.dim(`${annotations.length} of ${total} notes`)] : [];
  return [...blocks, ...shown].join("\n\n");
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
  const note = (words.length === 1 && words[0] === "-" ? await text(process.stdin) : words.join(" ")).trim();
  if (note === "") {
    throw new PommelError("usage", "The note is empty.", 'Write `pm note "what to remember"`.');
  }
  if (note.length > maxNoteChars) {
    throw new PommelError(
      "usage",
      `The note has ${note.length} characters.`,
      `At most ${maxNoteChars} are kept.`,
    );
  }
  const around = findCurrentSession();
  const session = named ? await findSessionId(project, named) : around;
  const about = {
    ...(session !== null && { session_id: session }),
    rejected,
    decision,
    branch: (await askForBranch(cwd)) ?? undefined,
    by,
  };
  const { annotation } = await call(writeNote, { note, ...about }, project);
  const facts = [
    by === "person" ? "" : labelWords("note", { by }, "person"),
    annotation.session_id === null ? "" : `session: ${shortenId(annotation.session_id)}`,
  ].filter((fact) => fact !== "");
  const noted = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  const said = `${formatMark("ok", output.colors)} Noted${noted}: ${toOneLine(annotation.note, 80)}`;
  output.result(annotation, `${said}\n${output.colors.dim("`pm note --undo` takes it back.")}`);
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
  if (latest === undefined) throw new PommelError("not_found", "There is no note to take back.");
  await call(forget, { annotation: latest.id }, project);
  output.result(latest, `${formatMark("ok", output.colors)} Taken back: ${toOneLine(latest.note, 80)}`);
}

async function findSessionId(project: Project, beginning: string): Promise<string> {
  if (!existsSync(project.memoryDb)) {
    throw new PommelError("not_found", "No sessions recorded yet.", "Omit --session.");
  }
  return (await call(showSession, { id: beginning }, project)).session.id;
}
