import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark } from "../../terminal/output.ts";
import { formatCount, toOneLine } from "../../terminal/text.ts";
import { undoHint } from "../trash/pm-undo.ts";
import { type ForgetRequest, type ForgetResponse, forget } from "./operation.ts";

/** Examples that are printed of what a pattern matches. */
const linesShown = 10;

/** `pm memory forget`: shows what would go, asks, and removes it. */
export async function forgetCommand(
  { cwd, output }: CommandContext,
  { dry_run: isDry = false, yes = false, note, match, ...named }: ForgetOptions,
): Promise<number | undefined> {
  const project = await findProject(cwd);
  const asked: ForgetRequest = {
    ...named,
    ...(note !== undefined && { annotation: note }),
    ...(match !== undefined && { pattern: match }),
  };
  const preview = await call(forget, { ...asked, dry_run: true }, project);
  if (isNothing(preview)) {
    output.result(preview, "Nothing in the memory matches.");
    return;
  }
  for (const line of describe(preview)) output.print(line);
  if (note !== undefined) output.print("  (the text stays in its prompt: see --turn)");
  if (isDry) {
    output.result(preview, "\nNothing was removed (--dry-run).");
    return;
  }
  const isForGood = named.for_good === true || match !== undefined;
  if (isForGood) output.print("This cannot be undone: the backups of this memory and its trash go, too.");
  if (!yes) {
    if (!canAsk(output)) {
      throw new PommelError(
        "usage",
        "Forgetting asks first, and there is no terminal to ask at.",
        "Preview it with --dry-run, then run it with --yes.",
      );
    }
    if (!(await confirm(isForGood ? "\nForget this for good?" : "\nForget this?", false))) {
      output.print("Nothing was removed.");
      return 1;
    }
  }
  const report = await call(forget, asked, project);
  if (report.log_emptied === false) {
    output.note("Another process is reading the memory; traces stay in the database log until it exits.");
  }
  const shared = await describeShared(project);
  output.result(report, () => {
    const hint =
      match === undefined
        ? []
        : [
            "It is recorded again if it comes up again. To keep it out, add the pattern to",
            "scrubbing-patterns.toml (`pm memory scrub --init`).",
          ];
    const fate = report.trash
      ? undoHint(report.trash)
      : "for good: nothing is kept, and it cannot be undone.";
    return [
      `${formatMark("ok", output.colors)} Forgotten${report.trash ? ". " : " "}${fate}`,
      ...hint,
      ...shared,
    ].join("\n");
  });
  return;
}

export interface ForgetOptions extends Omit<ForgetRequest, "annotation" | "pattern"> {
  note?: string;
  match?: string;
  yes?: boolean;
}

/** Shared data cannot be removed from other machines. */
export async function describeShared(project: Project): Promise<string[]> {
  const { countNotShared } = await import("../share/not-shared.ts");
  if ((await countNotShared(project).catch(() => null)) === null) return [];
  const branch = loadConfig(project).config["sync.branch"];
  return [`What \`pm share git\` shared of it stays on the branch ${branch} and in every copy of it.`];
}

export function isNothing({ sessions, turns, chunks, annotations, matches, questions }: ForgetResponse) {
  return sessions + turns + chunks + annotations + matches + questions === 0;
}

export function describe(report: ForgetResponse): string[] {
  const { sessions, turns, chunks, annotations, matches, questions, examples } = report;
  const parts = [
    [sessions, "session"],
    [turns, "turn"],
    [annotations, "note"],
    [chunks, "chunk"],
    [questions, "question of the audit log"],
  ] as const;
  const counts = parts.filter(([n]) => n > 0).map(([n, unit]) => formatCount(n, unit));
  const head =
    matches > 0
      ? `${formatCount(matches, "place")}${counts.length > 0 ? ` in ${counts.join(", ")}` : ""}:`
      : `${counts.join(", ")}:`;
  const shown = examples.slice(0, linesShown).map((example) => `  ${toOneLine(example, 100)}`);
  return [head, ...shown, ...(examples.length > linesShown ? ["  ..."] : [])];
}
