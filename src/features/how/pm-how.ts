import { exitCode } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { indentText } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { formatCount, formatWhen, shortenId, toOneLine, toPrintable } from "../../terminal/text.ts";
import {
  type DefinedScript,
  type HowAnswer,
  how,
  type howRequest,
  type WorkingCommand,
} from "./operation.ts";

/** `pm how`. @returns 5 when nothing like it worked here */
export async function howCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<Shaped<typeof howRequest>, "q">,
): Promise<number> {
  const project = await findProject(cwd);
  const q = words.length === 0 ? undefined : words.join(" ");
  const found = await call(how, { ...options, q }, project);
  output.result(found, () => renderHow(found, output));
  return found.verdict === "none" ? exitCode.notFound : exitCode.ok;
}

function renderHow({ verdict, commands, scripts }: HowAnswer, screen: Screen): string {
  if (verdict === "none") return "Agents ran nothing like it here, or it never worked.";
  const head = verdict === "maybe" ? [screen.colors.dim("Maybe:")] : [];
  return [
    ...head,
    ...commands.map((one) => renderCommandBlock(one, screen)),
    ...scripts.map((one) => renderScriptBlock(one, screen)),
  ].join("\n\n");
}

function renderScriptBlock({ line, title, file, task }: DefinedScript, screen: Screen): string {
  const { colors } = screen;
  return [
    ...(task === null ? [] : [colors.dim(task)]),
    colors.bold(toPrintable(line)),
    ...indentText(`defined in ${toOneLine(file)} | no agent ran it | ${toOneLine(title)}`, screen).map(
      colors.dim,
    ),
  ].join("\n");
}

function renderCommandBlock(command: WorkingCommand, screen: Screen): string {
  const { colors } = screen;
  const { line, form, task, directory, purpose, worked, failed, last_at, agent, author, session_id } =
    command;
  const { turn, took_ms } = command;
  const counts = `worked ${formatCount(worked, "time")}${failed > 0 ? `, failed ${formatCount(failed, "time")}` : ""}`;
  const facts = [
    // The counts are of all lines of the form.
    form === "" || form === line ? counts : `${toOneLine(form)} ${counts}`,
    `last ${formatWhen(last_at, screen)} (${agent}, session ${shortenId(session_id)}:${turn})`,
    formatSharedBy(author),
    took_ms === null ? "" : formatRunTime(took_ms),
    purpose,
  ].filter((fact) => fact !== "");
  return [
    ...(task === null ? [] : [colors.dim(task)]),
    ...(directory === "" ? [] : [colors.dim(`in ${toOneLine(directory)}`)]),
    colors.bold(toPrintable(line)),
    ...indentText(facts.join(" | "), screen).map(colors.dim),
    ...command.failed_before.flatMap((before) =>
      indentText(`Failed first: ${toOneLine(before.line)} (${toOneLine(before.error, 160)})`, screen).map(
        colors.warn,
      ),
    ),
  ].join("\n");
}

/** A stretch of time for people: "0.4 s", "12 s", "3 min", "2.5 h". */
export function formatRunTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
