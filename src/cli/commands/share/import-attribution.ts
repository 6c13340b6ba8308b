import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { codeOf, messageOf, PommelError } from "../../../project/errors.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";

/** A larger file is refused. Bytes. */
const maxBytes = 100_000_000;
/** Problems that are named before the rest is counted. */
const problemsShown = 20;

/** `pm share attribution import <file>` */
export async function attributionImportCommand(
  { cwd, output }: CommandContext,
  path: string,
  { dryRun = false }: { dryRun?: boolean },
): Promise<number> {
  const file = resolve(cwd, path);
  const project = await findProject(cwd);
  const report = await call("importTraces", { text: textOf(file), dryRun }, project);
  const { records, commits, unchanged, elsewhere, lines, problems } = report;
  if (records === 0 && problems.length > 0) {
    throw new PommelError(
      "unreadable",
      `${file} has no trace records: ${problems[0]!.reason}.`,
      "It takes what Agent Trace 0.1 describes: one record, an array, or one on each line.",
    );
  }
  for (const { line, reason } of problems.slice(0, problemsShown)) output.note(`line ${line}: ${reason}`);
  if (problems.length > problemsShown)
    output.note(`and ${counted(problems.length - problemsShown, "more line")}`);
  output.result({ format: "agent-trace", file, dry_run: dryRun, ...report }, () => {
    const what =
      commits.length === 0
        ? "Nothing new"
        : `${counted(commits.length, "commit")}: ${counted(lines.agent, "line")} by agents, ${lines.human} by people, ${lines.unknown} unknown`;
    const left = [
      unchanged > 0 && `${counted(unchanged, "commit")} imported before.`,
      elsewhere > 0 && `${counted(elsewhere, "record")} of commits that are not in this repository.`,
    ].filter((part) => part !== false);
    const mark = tick(problems.length > 0 ? "warn" : "ok", output.colors);
    const end = dryRun && commits.length > 0 ? " Nothing was imported (--dry-run)." : "";
    return [`${mark} ${what}.${end}`, ...left].join("\n");
  });
  return problems.length > 0 ? 1 : 0;
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > maxBytes) throw new Error(`more than ${maxBytes / 1_000_000} MB`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      throw new PommelError("not_found", `${file} does not exist.`, "Check the path.");
    const cause = { cause: error };
    throw new PommelError("unreadable", `Cannot read ${file}: ${messageOf(error)}.`, "Split it up.", cause);
  }
}
