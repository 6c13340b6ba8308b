import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { sessionAround } from "../../../agents/profiles.ts";
import { call } from "../../../client/call.ts";
import { branchOf } from "../../../git/history/head.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { oneLine, shortId } from "../../terminal/text.ts";

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
