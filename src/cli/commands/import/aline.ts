import { resolve } from "node:path";
import { claude } from "../../../agents/claude/claude.ts";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { AlineImport, AlinePlan } from "../../../queries/sessions/import-aline.ts";
import type { ImportPreview } from "../../../sessions/ingest/import-preview.ts";
import { parseWhen } from "../../../text/dates.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { interruptedCode } from "../../terminal/interruption.ts";
import { aligned, type Output, tick } from "../../terminal/output.ts";
import { counted, oneLine } from "../../terminal/text.ts";
import { importTranscripts } from "./import-transcripts.ts";

interface AlineOptions {
  since?: string;
  allProjects?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** `pm import aline [path]` */
export async function importAlineCommand(
  { cwd, output }: CommandContext,
  path: string | undefined,
  { since, allProjects = false, dryRun = false, yes = false }: AlineOptions,
): Promise<number | undefined> {
  const project = await findProject(cwd);
  const asked = {
    path: path === undefined ? undefined : resolve(cwd, path),
    since: since === undefined ? null : await parseWhen(since, "since"),
    allProjects,
  };
  const plan = await call("planAline", asked, project);
  // Transcripts that are there and not read yet.
  const toRead = { agent: claude, places: plan.transcripts, since: null, allProjects };
  const preview = await call("previewImport", toRead, project);
  if (plan.isNewer) {
    output.note(
      `${plan.file} has a newer schema (${plan.schema}) than supported; Pommel reads what it recognises.`,
    );
  }
  output.print(describe(plan, preview));
  const summary = summaryOf(plan, preview, dryRun);
  if (dryRun || plan.sessions.length + plan.transcripts.length === 0) {
    output.result(summary, dryRun ? "\nNothing was imported (--dry-run)." : "");
    return;
  }
  if (!yes && canAsk(output) && !(await confirm("\nImport them?", true))) {
    output.print("Nothing was imported.");
    return 1;
  }
  const followed =
    preview.files.length === 0 ? undefined : await importTranscripts(project, claude, preview.files);
  if (followed === null) {
    output.note("The daemon continues with what it has; run it again for the rest.");
    if (output.json) output.result({ ...summary, interrupted: true }, "");
    return interruptedCode;
  }
  const taken = await call("importAline", plan, project);
  const failed = [
    ...(followed?.failed.map(({ path: file, error }) => ({ session: file, error })) ?? []),
    ...taken.failed,
  ];
  for (const { session, error } of failed) output.note(`${session}: ${oneLine(error, 200)}`);
  const done = { ...summary, ...taken, chunks: taken.chunks + (followed?.chunks ?? 0), failed };
  output.result(done, () => report(taken, preview, failed.length, output));
  return failed.length > 0 ? 1 : 0;
}

function summaryOf(plan: AlinePlan, preview: ImportPreview, dryRun: boolean) {
  return {
    agent: "aline",
    file: plan.file,
    schema: plan.schema,
    transcripts: { found: plan.transcripts.length, to_read: preview.files.length },
    from_database: plan.sessions.length,
    elsewhere: plan.elsewhere,
    without_place: plan.nowhere,
    older: plan.older,
    dry_run: dryRun,
    interrupted: false,
  };
}

function describe(plan: AlinePlan, preview: ImportPreview): string {
  const read = plan.transcripts.length - preview.files.length;
  const rows = [
    ["  Transcripts:", `${plan.transcripts.length}${read > 0 ? ` (${read} read already)` : ""}`],
    ["  From the database:", String(plan.sessions.length)],
  ];
  const left = [
    plan.older > 0 && `${counted(plan.older, "session")} older`,
    plan.elsewhere > 0 && `${counted(plan.elsewhere, "session")} of other projects (--all-projects)`,
    plan.nowhere > 0 && `${counted(plan.nowhere, "session")} of unknown projects (--all-projects)`,
  ].filter((part) => part !== false);
  const lines = [`Sessions in ${plan.file}`, aligned(rows)];
  if (left.length > 0) lines.push(`Skipped: ${left.join(", ")}.`);
  return lines.join("\n");
}

function report(taken: AlineImport, { files }: ImportPreview, failed: number, output: Output): string {
  const { sessions, events, commits } = taken;
  const parts = [
    counted(sessions.new + files.length, "session"),
    counted(events, "event"),
    `${commits.taken_in} of the ${counted(commits.named, "commit")} it names`,
  ];
  const left = [
    sessions.known > 0 && `${sessions.known} already imported`,
    sessions.forgotten > 0 && `${sessions.forgotten} forgotten before`,
    sessions.empty > 0 && `${sessions.empty} empty`,
  ].filter((part) => part !== false);
  const mark = tick(failed > 0 ? "warn" : "ok", output.colors);
  return `${mark} Imported: ${parts.join(", ")}.${left.length > 0 ? ` Skipped: ${left.join(", ")}.` : ""}`;
}
