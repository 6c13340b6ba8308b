import { PommelError } from "../../../project/errors.ts";
import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import { exportGitAi, type GitAiExport } from "../../../queries/attribution/export-git-ai.ts";
import { withMemory } from "../../../store/memory/with-memory.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";

interface ExportOptions {
  gitAi?: boolean;
  force?: boolean;
  dryRun?: boolean;
}

/** `pm attribution export [range]` */
export async function attributionExportCommand(
  { cwd, output }: CommandContext,
  range: string | undefined,
  { gitAi = false, force = false, dryRun = false }: ExportOptions,
): Promise<void> {
  if (!gitAi) throw new PommelError("usage", "Which format?", "Choose --git-ai.");
  const project = inWorktreeOf(findProject(cwd), cwd);
  const report = await withMemory(project, (memory) =>
    exportGitAi(project, memory, { range: range ?? null, force, dryRun }),
  );
  output.result({ format: "git-ai", dry_run: dryRun, ...report }, () =>
    gitAiText(report, dryRun, output.colors),
  );
}

function gitAiText(report: GitAiExport, dryRun: boolean, colors: Parameters<typeof tick>[1]): string {
  const { ref, written, updated, replaced, unchanged, kept, unknown, before, after } = report;
  const parts = [
    written.length > 0 && counted(written.length, "new note"),
    updated.length > 0 && `${updated.length} updated`,
    replaced.length > 0 && `${replaced.length} of other tools replaced`,
  ].filter((part) => part !== false);
  const lines = [
    parts.length === 0
      ? "Nothing to write."
      : dryRun
        ? `${parts.join(", ")} for ${ref}. Nothing was written (--dry-run).`
        : `${tick("ok", colors)} ${ref}: ${parts.join(", ")}.`,
    ...(unchanged > 0 ? [`${counted(unchanged, "note")} already up to date.`] : []),
    ...(kept.length > 0
      ? [`${counted(kept.length, "commit")} with another tool's note, which stays: --force replaces it.`]
      : []),
    ...(unknown > 0 ? [`${counted(unknown, "commit")} without a line of a known author.`] : []),
  ];
  if (after !== before) {
    const back = before === null ? `git update-ref -d ${ref}` : `git update-ref ${ref} ${before}`;
    lines.push(`  Share them:   git push <remote> ${ref}`, `  Undo:         ${back}`);
  }
  return lines.join("\n");
}
