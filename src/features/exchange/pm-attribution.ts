import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark } from "../../terminal/output.ts";
import { formatCount } from "../../terminal/text.ts";
import { writeNew } from "../../terminal/write-file.ts";
import type { NotesExport } from "./export-notes.ts";
import { exportNotes, exportTraces, importTraces } from "./operation.ts";

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
    return exportTraceFile(context, project, { range: range ?? null, to, force });
  }
  if (to !== undefined) throw new PommelError("usage", "Notes go to no file.", "Omit --to.");
  const format = gitAi ? "git-ai" : "readable";
  const report = await call(exportNotes, { format, range: range ?? null, force, dryRun }, project);
  output.result({ format, dry_run: dryRun, ...report }, () =>
    describeNotesExport(report, dryRun, output.colors),
  );
}

async function exportTraceFile(
  { cwd, output }: CommandContext,
  project: Project,
  { range, to, force }: { range: string | null; to: string | undefined; force: boolean },
): Promise<void> {
  const records = await call(exportTraces, { range }, project);
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  if (to === undefined) return output.result(records, lines.join("").trimEnd());
  const file = writeNew(resolve(cwd, to), "traces.jsonl", lines.join(""), force);
  output.result(
    { format: "agent-trace", to: file, records: lines.length },
    `${formatMark("ok", output.colors)} Wrote ${formatCount(lines.length, "trace record")} to ${file}.`,
  );
}

function describeNotesExport(
  report: NotesExport,
  dryRun: boolean,
  colors: Parameters<typeof formatMark>[1],
): string {
  const { ref, written, updated, replaced, unchanged, kept, unknown, before, after } = report;
  const parts = [
    written.length > 0 && formatCount(written.length, "new note"),
    updated.length > 0 && `${updated.length} updated`,
    replaced.length > 0 && `${replaced.length} of other tools replaced`,
  ].filter((part) => part !== false);
  const lines = [
    parts.length === 0
      ? "Nothing to write."
      : dryRun
        ? `${parts.join(", ")} for ${ref}. Nothing was written (--dry-run).`
        : `${formatMark("ok", colors)} ${ref}: ${parts.join(", ")}.`,
    ...(unchanged > 0 ? [`${formatCount(unchanged, "note")} already up to date.`] : []),
    ...(kept.length > 0
      ? [`${formatCount(kept.length, "commit")} with another tool's note, which stays: --force replaces it.`]
      : []),
    ...(unknown > 0 ? [`${formatCount(unknown, "commit")} without a line of a known author.`] : []),
  ];
  if (after !== before) {
    const back = before === null ? `git update-ref -d ${ref}` : `git update-ref ${ref} ${before}`;
    const name = ref.replace("refs/notes/", "");
    if (name === "pommel") lines.push(`  Read them:    git log --notes=${name}`);
    lines.push(`  Share them:   git push <remote> ${ref}`, `  Undo:         ${back}`);
  }
  return lines.join("\n");
}

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
  const report = await call(importTraces, { text: readTraceFile(file), dryRun }, project);
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
    output.note(`and ${formatCount(problems.length - problemsShown, "more line")}`);
  output.result({ format: "agent-trace", file, dry_run: dryRun, ...report }, () => {
    const what =
      commits.length === 0
        ? "Nothing new"
        : `${formatCount(commits.length, "commit")}: ${formatCount(lines.agent, "line")} by agents, ${lines.human} by people, ${lines.unknown} unknown`;
    const left = [
      unchanged > 0 && `${formatCount(unchanged, "commit")} imported before.`,
      elsewhere > 0 && `${formatCount(elsewhere, "record")} of commits that are not in this repository.`,
    ].filter((part) => part !== false);
    const mark = formatMark(problems.length > 0 ? "warn" : "ok", output.colors);
    const end = dryRun && commits.length > 0 ? " Nothing was imported (--dry-run)." : "";
    return [`${mark} ${what}.${end}`, ...left].join("\n");
  });
  return problems.length > 0 ? 1 : 0;
}

function readTraceFile(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > maxBytes) throw new Error(`more than ${maxBytes / 1_000_000} MB`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT")
      throw new PommelError("not_found", `${file} does not exist.`, "Check the path.");
    const cause = { cause: error };
    throw new PommelError(
      "unreadable",
      `Cannot read ${file}: ${getErrorMessage(error)}.`,
      "Split it up.",
      cause,
    );
  }
}
