import type { SyncCounts } from "../../../sync/report.ts";
import { hintFor, type SyncReport } from "../../../sync/report.ts";
import { type Output, tick } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { counted } from "../../terminal/text.ts";

/** The JSON of `pm share git` and `pm share git --pull`. */
export function syncResult(report: SyncReport, { dryRun, filter }: { dryRun: boolean; filter: boolean }) {
  return {
    branch: report.branch,
    remote: report.remote,
    encrypted: report.encrypted,
    dry_run: dryRun,
    filtered: filter,
    shared: report.shared,
    taken_in: report.imported,
    left_out: report.leftOut,
    waiting: report.waiting,
    pushed: report.pushed,
    up_to_date: report.isUpToDate,
    commit: report.commit,
    problems: report.problems,
    quarantine: report.quarantine,
    trouble: report.trouble,
  };
}

const words: Record<keyof SyncCounts, string> = {
  sessions: "session",
  turns: "turn",
  annotations: "note",
  checkpoints: "checkpoint",
  attributions: "commit's lines",
  events: "event",
};

/** "3 sessions, 12 turns"; null for nothing. */
export function countsText(counts: SyncCounts): string | null {
  const parts = (Object.keys(words) as (keyof SyncCounts)[])
    .filter((key) => counts[key] > 0)
    .map((key) =>
      key === "attributions" && counts[key] > 1
        ? `${counts[key]} commits' lines`
        : counted(counts[key], words[key]),
    );
  return parts.length === 0 ? null : parts.join(", ");
}

/** What was done, for people. */
export function reportText(report: SyncReport, { dryRun }: { dryRun: boolean }, colors: Palette): string {
  const shared = countsText(report.shared);
  const imported = countsText(report.imported);
  const lines: string[] = [];
  if (imported) lines.push(`${dryRun ? "Would import" : "Imported"}: ${imported}.`);
  if (shared)
    lines.push(`${dryRun ? "Would share" : report.pushed ? "Shared" : "Not shared yet"}: ${shared}.`);
  if (lines.length === 0 && report.trouble === null) lines.push("Nothing new.");
  if (dryRun) lines.push("Nothing was changed (--dry-run).");
  else if (report.pushed) {
    const how = report.encrypted ? ", encrypted" : "";
    lines.push(`${tick("ok", colors)} ${report.branch} is at ${report.remote}${how}.`);
  }
  return lines.join("\n");
}

const maxProblems = 10;

/** What a person should know besides; on stderr, with `--json` too. */
export function reportTrouble(report: SyncReport, output: Output): void {
  const { problems, quarantine, leftOut, waiting, trouble } = report;
  for (const { path, reason } of problems.slice(0, maxProblems)) {
    output.note(`Skipped: ${path || "everything on the branch"} (${reason}).`);
  }
  if (problems.length > maxProblems) output.note(`Skipped: ${problems.length - maxProblems} more.`);
  if (quarantine !== null) output.note(`The commit that has them is kept at ${quarantine}.`);
  if (leftOut > 0) {
    const ran = leftOut === 1 ? "session that ran" : "sessions that ran";
    output.note(`${leftOut} ${ran} outside the project are not shared; --everything includes them.`);
  }
  if (waiting > 0) {
    const wait = waiting === 1 ? "session waits" : "sessions wait";
    output.note(`${waiting} ${wait} for the language model of scrub.llm, and cannot be shared yet.`);
  }
  if (trouble !== null) {
    output.note(trouble.message);
    output.note(hintFor(trouble, report));
  }
}
