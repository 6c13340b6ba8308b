import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { counted } from "../../terminal/text.ts";

/** Problems that are named before the rest is counted. */
const problemsShown = 20;

/** `pm import pommel <file>`: what `pm memory export --all` wrote. */
export async function importPommelCommand(
  { cwd, output }: CommandContext,
  path: string | undefined,
  { dryRun = false }: { dryRun?: boolean },
): Promise<number> {
  if (path === undefined)
    throw new PommelError("usage", "Which file?", "Name what `pm memory export --all --to FILE` wrote.");
  const file = resolve(cwd, path);
  if (!existsSync(file)) throw new PommelError("not_found", `${file} does not exist.`, "Check the path.");
  const project = await findProject(cwd);
  const progress = createProgress({ label: "Importing", unit: "kB" });
  const how = { onProgress: progress.update };
  const taken = await call("importMemory", { file, dryRun }, project, how).finally(progress.finish);
  const { problems, records, imported, forgotten } = taken;
  for (const { line, reason } of problems.slice(0, problemsShown)) output.note(`line ${line}: ${reason}`);
  if (problems.length > problemsShown)
    output.note(`and ${counted(problems.length - problemsShown, "more line")}`);
  output.result({ agent: "pommel", file, dry_run: dryRun, ...taken }, () => {
    const mark = tick(problems.length > 0 ? "warn" : "ok", output.colors);
    if (dryRun) return `${mark} ${counted(records, "record")} to import. Nothing was imported (--dry-run).`;
    const { sessions, turns, annotations, checkpoints, attributions, events } = imported;
    const parts = [
      [sessions, "session"],
      [turns, "turn"],
      [annotations, "note"],
      [checkpoints, "checkpoint"],
      [events, "event"],
    ] as const;
    const news = [
      ...parts.flatMap(([n, unit]) => (n === 0 ? [] : [counted(n, unit)])),
      ...(attributions === 0 ? [] : [`who wrote the lines of ${counted(attributions, "commit")}`]),
    ];
    const left = forgotten > 0 ? ` Skipped: ${forgotten} forgotten before.` : "";
    const what = news.length === 0 ? "nothing new" : news.join(", ");
    return `${mark} Read ${counted(records, "record")}. Imported: ${what}.${left}`;
  });
  return problems.length > 0 ? 1 : 0;
}
