import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { sessionAround } from "../../../agents/profiles.ts";
import { call } from "../../../client/call.ts";
import { branchOf } from "../../../git/history/head.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { AnnotationsRequest, AnnotationsResponse } from "../../../protocol/operations/sessions.ts";
import { callNoted } from "../../call-noted.ts";
import type { CommandContext } from "../../frame.ts";
import { indented, passage } from "../../terminal/markdown.ts";
import { type Screen, tick } from "../../terminal/output.ts";
import { oneLine, shortId, when } from "../../terminal/text.ts";

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
