import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { doneLine } from "../../answers/document.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { noteProblems } from "../../terminal/left-out.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount } from "../../terminal/text.ts";
import { writeNew } from "../../terminal/write-file.ts";
import { exportNotes, exportTraces, importTraces } from "./operation.ts";
import { wordNotesExport, wordTraceImport } from "./words.ts";

interface AttributionExportOptions {
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
  {
    gitAi = false,
    notes = false,
    agentTrace = false,
    to,
    force = false,
    dryRun = false,
  }: AttributionExportOptions,
): Promise<void> {
  const { cwd, output } = context;
  if ([gitAi, notes, agentTrace].filter(Boolean).length !== 1)
    throw new PommelError("usage", "No format given.", "Choose one: --git-ai, --notes or --agent-trace.");
  const project = await findProject(cwd);
  if (agentTrace) {
    if (dryRun) throw new PommelError("usage", "--dry-run is for notes.", "Omit it.");
    return exportTraceFile(context, project, { range: range ?? null, to, force });
  }
  if (to !== undefined) throw new PommelError("usage", "--to does not apply to notes.", "Omit --to.");
  const format = gitAi ? "git-ai" : "readable";
  const report = await call(exportNotes, { format, range: range ?? null, force, dryRun }, project);
  showAnswer(output, { format, dry_run: dryRun, ...report }, () => wordNotesExport(report, dryRun));
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
  const wrote = `Wrote ${formatCount(lines.length, "trace record")} to `;
  showAnswer(output, { format: "agent-trace", to: file, records: lines.length }, () => [
    [doneLine(wrote, { text: file }, ".")],
  ]);
}

/** A larger file is refused. Bytes. */
const maxBytes = 100_000_000;

/** `pm share attribution import <file>` */
export async function attributionImportCommand(
  { cwd, output }: CommandContext,
  path: string,
  { dryRun = false }: { dryRun?: boolean },
): Promise<number> {
  const file = resolve(cwd, path);
  const project = await findProject(cwd);
  const report = await call(importTraces, { text: readTraceFile(file), dryRun }, project);
  const { records, problems } = report;
  if (records === 0 && problems.length > 0) {
    throw new PommelError(
      "unreadable",
      `${file} has no trace records: ${problems[0]!.reason}.`,
      "The file must contain records of Agent Trace 0.1: one, an array, or one on each line.",
    );
  }
  noteProblems(problems, output);
  showAnswer(output, { format: "agent-trace", file, dry_run: dryRun, ...report }, () =>
    wordTraceImport(report, dryRun),
  );
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
      "Split the file into smaller ones.",
      cause,
    );
  }
}
