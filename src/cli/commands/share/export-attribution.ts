import { resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { NotesExport } from "../../../queries/attribution/export-notes.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { writeNew } from "../export/write.ts";

interface ExportOptions {
  gitAi?: boolean;
  notes?: boolean;
  agentTrace?: boolean;
  to?: string;
  force?: boolean;
  dryRun?: boolean;
}

/** `pm share attribution export [range]` */
export async function attributionExportCommand(
  context: CommandContext,
  range: string | undefined,
  { gitAi = false, notes = false, agentTrace = false, to, force = false, dryRun = false }: ExportOptions,
): Promise<void> {
  const { cwd, output } = context;
  if ([gitAi, notes, agentTrace].filter(Boolean).length !== 1)
    throw new PommelError("usage", "Which format?", "Choose one: --git-ai, --notes or --agent-trace.");
  const project = await findProject(cwd);
  if (agentTrace) {
    if (dryRun) throw new PommelError("usage", "--dry-run is for notes.", "Omit it.");
    return traces(context, project, { range: range ?? null, to, force });
  }
  if (to !== undefined) throw new PommelError("usage", "Notes go to no file.", "Omit --to.");
  const format = gitAi ? "git-ai" : "readable";
  const report = await call("exportNotes", { format, range: range ?? null, force, dryRun }, project);
  output.result({ format, dry_run: dryRun, ...report }, () => notesText(report, dryRun, output.colors));
}

async function traces(
  { cwd, output }: CommandContext,
  project: Project,
  { range, to, force }: { range: string | null; to: string | undefined; force: boolean },
): Promise<void> {
  const records = await call("exportTraces", { range }, project);
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  if (to === undefined) return output.result(records, lines.join("").trimEnd());
  const file = writeNew(resolve(cwd, to), "traces.jsonl", lines.join(""), force);
  output.result(
    { format: "agent-trace", to: file, records: lines.length },
    `${tick("ok", output.colors)} Wrote ${counted(lines.length, "trace record")} to ${file}.`,
  );
}

function notesText(report: NotesExport, dryRun: boolean, colors: Parameters<typeof tick>[1]): string {
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
    const name = ref.replace("refs/notes/", "");
    if (name === "pommel") lines.push(`  Read them:    git log --notes=${name}`);
    lines.push(`  Share them:   git push <remote> ${ref}`, `  Undo:         ${back}`);
  }
  return lines.join("\n");
}
