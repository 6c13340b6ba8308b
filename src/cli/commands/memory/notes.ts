import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { sessionAround, speakerHere } from "../../../agents/profiles.ts";
import { call } from "../../../client/call.ts";
import { locate } from "../../../features/blame/file-place.ts";
import type { Decision } from "../../../features/decisions/operation.ts";
import { type decisionsRequest, listDecisions } from "../../../features/decisions/operation.ts";
import { forget } from "../../../features/forget/operation.ts";
import type { LostTextAnswer } from "../../../features/lost/operation.ts";
import { findLostText, type lostTextRequest } from "../../../features/lost/operation.ts";
import type { AnnotationsRequest, AnnotationsResponse } from "../../../features/notes/operation.ts";
import { listNotes, writeNote } from "../../../features/notes/operation.ts";
import { pathsFrom } from "../../../features/related/related.ts";
import { labelDecision } from "../../../features/search/found-words.ts";
import { showSession } from "../../../features/sessions/operation.ts";
import { branchOf } from "../../../git/history/head.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { exitCode, PommelError } from "../../../project/errors.ts";
import { maxResults } from "../../../project/max-results.ts";
import type { Project } from "../../../project/paths.ts";
import { labelNote, labelWords, type Speaker, sharedBy, speakerOf } from "../../../protocol/origin.ts";
import type { Shaped } from "../../../protocol/shape-parts.ts";
import { callNoted } from "../../call-noted.ts";
import type { CommandContext } from "../../frame.ts";
import { indented, passage } from "../../terminal/markdown.ts";
import { type Output, type Screen, tick } from "../../terminal/output.ts";
import { oneLine, printable, shortId, when } from "../../terminal/text.ts";

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
    const session = session_id === null ? "" : `session: ${shortId(session_id)}`;
    const place = [
      when(timestamp, screen),
      session + (turn === null ? "" : `:${turn}`),
      branch ?? "",
      id,
    ].filter((part) => part !== "");
    return [
      ...passage(`${label}: ${note}`, screen),
      ...indented(place.join(" | "), screen).map(colors.dim),
    ].join("\n");
  });
  const shown = annotations.length < total ? [colors.dim(`${annotations.length} of ${total} notes`)] : [];
  return [...blocks, ...shown].join("\n\n");
}

/** As the daemon takes it. Characters. */
const longest = 10_000;

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
  const by = speakerHere();
  if (undo) return undoNote(project, by, words, output);
  const note = (words.length === 1 && words[0] === "-" ? await text(process.stdin) : words.join(" ")).trim();
  if (note === "") {
    throw new PommelError("usage", "The note is empty.", 'Write `pm note "what to remember"`.');
  }
  if (note.length > longest) {
    throw new PommelError("usage", `The note has ${note.length} characters.`, `At most ${longest} are kept.`);
  }
  const around = sessionAround();
  const session = named ? await sessionId(project, named) : around;
  const about = {
    ...(session !== null && { session_id: session }),
    ...{ rejected, decision, branch: (await branchOf(cwd)) ?? undefined },
    by,
  };
  const { annotation } = await call(writeNote, { note, ...about }, project);
  const facts = [
    by === "person" ? "" : labelWords("note", { by }, "person"),
    annotation.session_id === null ? "" : `session: ${shortId(annotation.session_id)}`,
  ].filter((fact) => fact !== "");
  const noted = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  const said = `${tick("ok", output.colors)} Noted${noted}: ${oneLine(annotation.note, 80)}`;
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
  const latest = annotations.find((note) => note.author === null && speakerOf(note.source) === by);
  if (latest === undefined) throw new PommelError("not_found", "There is no note to take back.");
  await call(forget, { annotation: latest.id }, project);
  output.result(latest, `${tick("ok", output.colors)} Taken back: ${oneLine(latest.note, 80)}`);
}

async function sessionId(project: Project, beginning: string): Promise<string> {
  if (!existsSync(project.memoryDb)) {
    throw new PommelError("not_found", "No sessions recorded yet.", "Omit --session.");
  }
  return (await call(showSession, { id: beginning }, project)).session.id;
}

/** `pm memory decisions` */
export async function decisionsCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Shaped<typeof decisionsRequest>,
): Promise<void> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const request = { ...options, q: query, file: pathsFrom(project, cwd, options.file ?? []) };
  const found = await call(listDecisions, request, project);
  output.result({ query, ...found }, () => renderDecisions(found, output));
}

/** What was decided, for a person. */
export function renderDecisions(
  { decisions, total }: { decisions: readonly Decision[]; total: number },
  screen: Screen,
): string {
  if (decisions.length === 0) return "No decisions found.";
  const blocks = decisions.map((decision) => decisionBlock(decision, screen));
  const shown = decisions.length < total ? [screen.colors.dim(`${decisions.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}

const inCode = { kept: "kept", changed: "changed since", gone: "gone" } as const;

/** A decision with its place, and what superseded it. */
export function decisionBlock(decision: Decision, screen: Screen): string {
  const { colors } = screen;
  const { text, session_id, session_title, turn, timestamp, branch, score } = decision;
  const { superseded_by, supersedes } = decision;
  const place = [
    decision.place ?? "",
    when(timestamp, screen),
    session_id === null ? "" : `session: ${shortId(session_id)}${turn === null ? "" : `:${turn}`}`,
    branch ?? "",
    session_title ?? "",
    decision.in_code == null ? "" : `in the code: ${inCode[decision.in_code]}`,
    score === null ? "" : `score ${score.toFixed(2)}`,
  ].filter((part) => part !== "");
  return [
    ...passage([labelDecision(decision, "person"), text].filter(Boolean).join(" "), screen),
    ...(superseded_by === null ? [] : indented(`Superseded by: ${superseded_by}`, screen).map(colors.warn)),
    ...supersedes.flatMap((earlier) => indented(`Supersedes: ${earlier}`, screen).map(colors.dim)),
    ...indented(place.join(" | "), screen).map(colors.dim),
  ].join("\n");
}

/** `pm memory lost`. @returns 5 when nothing of the file was lost */
export async function lostCommand(
  { cwd, output }: CommandContext,
  named: string,
  options: Omit<Shaped<typeof lostTextRequest>, "file">,
): Promise<number> {
  const project = await findProject(cwd);
  const file = locate(project, cwd, named);
  const found = await call(findLostText, { ...options, file }, project);
  output.result(found, () => renderLost(found, output));
  return found.total === 0 ? exitCode.notFound : exitCode.ok;
}

function renderLost({ file, texts, total }: LostTextAnswer, screen: Screen): string {
  const { colors } = screen;
  if (total === 0) return `Nothing of ${oneLine(file)} was lost, as far as agents' edits are recorded.`;
  const blocks = texts.map(({ session_id, author, turn, timestamp, lost_by, command, lines }) => {
    const how = lost_by === "edit" ? "replaced by an edit" : `gone after ${oneLine(command ?? "", 80)}`;
    const place = `${how}, ${when(timestamp, screen)} | session ${shortId(session_id)}:${turn}`;
    const from = [place, sharedBy(author)].filter(Boolean).join(", ");
    return [colors.dim(from), ...lines.map(printable)].join("\n");
  });
  const shown = texts.length < total ? [colors.dim(`${texts.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
