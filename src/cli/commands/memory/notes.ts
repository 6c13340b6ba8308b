import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { sessionAround } from "../../../agents/profiles.ts";
import { call } from "../../../client/call.ts";
import { branchOf } from "../../../git/history/head.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { exitCode, PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { LostTextAnswer } from "../../../protocol/operations/commands.ts";
import type {
  AnnotationsRequest,
  AnnotationsResponse,
  Decision,
} from "../../../protocol/operations/memory.ts";
import { noteLabel } from "../../../protocol/reading/found.ts";
import type { RequestOf } from "../../../protocol/routes.ts";
import { locate } from "../../../queries/blame/file-place.ts";
import { pathsFrom } from "../../../queries/sessions/conversations-related.ts";
import { callNoted } from "../../call-noted.ts";
import type { CommandContext } from "../../frame.ts";
import { indented, passage } from "../../terminal/markdown.ts";
import { type Screen, tick } from "../../terminal/output.ts";
import { oneLine, printable, shortId, when } from "../../terminal/text.ts";

/** `pm memory notes`. */
export async function annotationsCommand(
  { cwd, output }: CommandContext,
  options: AnnotationsRequest,
): Promise<void> {
  const project = await findProject(cwd);
  const answer = await callNoted("annotations", options, project, output);
  output.result(answer, () => renderAnnotations(answer, output));
}

/** Notes for a person, each with when and where it was made. */
export function renderAnnotations({ annotations, total }: AnnotationsResponse, screen: Screen): string {
  const { colors } = screen;
  if (annotations.length === 0)
    return 'No notes. Write "Note to Pommel: ..." in a prompt, or run `pm note "..."`.';
  const blocks = annotations.map(({ id, note, session_id, turn, timestamp, branch, source }) => {
    const session = session_id === null ? "" : `session: ${shortId(session_id)}`;
    const place = [
      when(timestamp, screen),
      source === "agent" ? "by an agent" : session_id === null ? "from a shell" : "",
      session + (turn === null ? "" : `:${turn}`),
      branch ?? "",
      id,
    ].filter((part) => part !== "");
    return [...passage(note, screen), ...indented(place.join(" | "), screen).map(colors.dim)].join("\n");
  });
  const shown = annotations.length < total ? [colors.dim(`${annotations.length} of ${total} notes`)] : [];
  return [...blocks, ...shown].join("\n\n");
}

/** As the daemon takes it. Characters. */
const longest = 10_000;

/** `pm note <text>`: inside of an agent that names its session it is about the session that it runs in. */
export async function noteCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { session: named, rejected, decision }: { session?: string; rejected?: boolean; decision?: string },
): Promise<void> {
  const project = await findProject(cwd);
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
    by_agent: around !== null,
  };
  const { annotation } = await call("annotate", { note, ...about }, project);
  const noted = annotation.session_id === null ? "" : ` (session: ${shortId(annotation.session_id)})`;
  output.result(annotation, `${tick("ok", output.colors)} Noted${noted}: ${oneLine(annotation.note, 80)}`);
}

async function sessionId(project: Project, beginning: string): Promise<string> {
  if (!existsSync(project.memoryDb)) {
    throw new PommelError("not_found", "No sessions recorded yet.", "Omit --session.");
  }
  return (await call("session", { id: beginning }, project)).session.id;
}

/** `pm memory decisions` */
export async function decisionsCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: RequestOf<"decisions">,
): Promise<void> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const request = { ...options, q: query, file: pathsFrom(project, cwd, options.file ?? []) };
  const found = await call("decisions", request, project);
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

/** A decision with its place, and what superseded it. */
export function decisionBlock(decision: Decision, screen: Screen): string {
  const { colors } = screen;
  const { text, session_id, session_title, author, turn, timestamp, branch, score } = decision;
  const { superseded_by, supersedes } = decision;
  const place = [
    decision.place ?? "",
    when(timestamp, screen),
    session_id === null ? "" : `session: ${shortId(session_id)}${turn === null ? "" : `:${turn}`}`,
    branch ?? "",
    session_title ?? "",
    author == null ? "" : `shared by ${author}`,
    score === null ? "" : `score ${score.toFixed(2)}`,
  ].filter((part) => part !== "");
  return [
    ...passage([noteLabel(decision), text].filter(Boolean).join(" "), screen),
    ...(superseded_by === null ? [] : indented(`Superseded by: ${superseded_by}`, screen).map(colors.warn)),
    ...supersedes.flatMap((earlier) => indented(`Supersedes: ${earlier}`, screen).map(colors.dim)),
    ...indented(place.join(" | "), screen).map(colors.dim),
  ].join("\n");
}

/** `pm memory lost`. @returns 5 when nothing of the file was lost */
export async function lostCommand(
  { cwd, output }: CommandContext,
  named: string,
  options: Omit<RequestOf<"lostText">, "file">,
): Promise<number> {
  const project = await findProject(cwd);
  const file = locate(project, cwd, named);
  const found = await call("lostText", { ...options, file }, project);
  output.result(found, () => renderLost(found, output));
  return found.total === 0 ? exitCode.notFound : exitCode.ok;
}

function renderLost({ file, texts, total }: LostTextAnswer, screen: Screen): string {
  const { colors } = screen;
  if (total === 0) return `Nothing of ${oneLine(file)} was lost, as far as agents' edits are recorded.`;
  const blocks = texts.map(({ session_id, turn, timestamp, lost_by, command, lines }) => {
    const how = lost_by === "edit" ? "replaced by an edit" : `gone after ${oneLine(command ?? "", 80)}`;
    const place = `${how}, ${when(timestamp, screen)} | session ${shortId(session_id)}:${turn}`;
    return [colors.dim(place), ...lines.map(printable)].join("\n");
  });
  const shown = texts.length < total ? [colors.dim(`${texts.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
