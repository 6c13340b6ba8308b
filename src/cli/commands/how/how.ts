import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { exitCode } from "../../../project/errors.ts";
import type { HowAnswer, WorkingCommand } from "../../../protocol/operations/commands.ts";
import type { RequestOf } from "../../../protocol/routes.ts";
import type { CommandContext } from "../../frame.ts";
import { indented } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { counted, oneLine, printable, shortId, when } from "../../terminal/text.ts";
import { duration } from "./duration.ts";

/** `pm how`. @returns 5 when nothing like it worked here */
export async function howCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<RequestOf<"how">, "q">,
): Promise<number> {
  const project = await findProject(cwd);
  const found = await call("how", { ...options, q: words.join(" ") }, project);
  output.result(found, () => renderHow(found, output));
  return found.verdict === "none" ? exitCode.notFound : exitCode.ok;
}

export function renderHow({ verdict, commands }: HowAnswer, screen: Screen): string {
  if (verdict === "none") return "Agents ran nothing like it here, or it never worked.";
  const head = verdict === "maybe" ? [screen.colors.dim("Maybe:")] : [];
  return [...head, ...commands.map((one) => commandBlock(one, screen))].join("\n\n");
}

function commandBlock(command: WorkingCommand, screen: Screen): string {
  const { colors } = screen;
  const { line, directory, purpose, worked, failed, last_at, agent, session_id, turn, took_ms } = command;
  const facts = [
    `worked ${counted(worked, "time")}${failed > 0 ? `, failed ${counted(failed, "time")}` : ""}`,
    `last ${when(last_at, screen)} (${agent}, session ${shortId(session_id)}:${turn})`,
    took_ms === null ? "" : duration(took_ms),
    purpose,
  ].filter((fact) => fact !== "");
  return [
    ...(directory === "" ? [] : [colors.dim(`in ${oneLine(directory)}`)]),
    colors.bold(printable(line)),
    ...indented(facts.join(" | "), screen).map(colors.dim),
    ...command.failed_before.flatMap((before) =>
      indented(`Failed first: ${oneLine(before.line)} (${oneLine(before.error, 160)})`, screen).map(
        colors.warn,
      ),
    ),
  ].join("\n");
}
