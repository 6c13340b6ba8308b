import { PommelError } from "../../base/errors.ts";
import { type CallOptions, call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { chooseTroubleHint, type SyncReport } from "../../sync/report.ts";
import { askSecret, canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { createProgress, type Progress } from "../../terminal/progress.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { shareThroughGit } from "./operation.ts";
import type { SyncRequest } from "./share-git.ts";
import { wordSync } from "./words.ts";

/** Asks for the passphrase of the shared memory at the terminal, where there is one. */
const makePassphraseAsker =
  (output: Output) =>
  async (isNew: boolean): Promise<string | null> => {
    if (!canAsk(output)) return null;
    const given = await askSecret(isNew ? "A new passphrase for the shared memory: " : "Passphrase: ");
    if (!isNew || given === "") return given;
    if ((await askSecret("Repeat it: ")) === given) return given;
    output.note("They differ.");
    return null;
  };

/** Shows how far it is, step by step. */
export function syncProgress(): { onProgress: NonNullable<CallOptions["onProgress"]>; finish(): void } {
  let step: string | undefined;
  let bar: Progress | null = null;
  return {
    onProgress(done, total, now) {
      if (now !== step) {
        bar?.finish();
        bar = createProgress({ label: now === "sharing" ? "Sharing" : "Importing", unit: "items" });
        step = now;
      }
      bar?.update(done, total);
    },
    finish: () => bar?.finish(),
  };
}

/** The JSON of `pm share git` and `pm share git --pull`. */
function syncResult(report: SyncReport, { dryRun, filter }: { dryRun: boolean; filter: boolean }) {
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

const maxProblems = 10;

/** What a person should know besides; on stderr, with `--json` too. */
function reportTrouble(report: SyncReport, output: Output): void {
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
    output.note(chooseTroubleHint(trouble, report));
  }
}

interface ShareGitOptions {
  pull?: boolean;
  force?: boolean;
  dryRun?: boolean;
  /** false with `--no-filter`. */
  filter: boolean;
  allowPublic?: boolean;
  everything?: boolean;
  /** How often `--yes` was given. */
  yes?: number;
}

/** `pm share git`: imports what others shared, and shares what is new here. */
export async function shareGitCommand(
  { cwd, output }: CommandContext,
  options: ShareGitOptions,
): Promise<number | undefined> {
  const { dryRun = false, filter, allowPublic = false, everything = false, yes = 0, force = false } = options;
  if (options.pull) return pull(cwd, { dryRun, force }, output);
  if (force) throw new PommelError("usage", "--force works only with --pull.", "Omit it, or add --pull.");
  if (!filter && !dryRun && !(await isSure(output, yes))) {
    output.print("Nothing was shared.");
    return 1;
  }
  const report = await exchange(cwd, { dryRun, filter, allowPublic, everything }, output);
  reportTrouble(report, output);
  showAnswer(output, syncResult(report, { dryRun, filter }), () => wordSync(report, dryRun));
  return report.trouble === null ? undefined : 1;
}

/** Sharing cannot be undone, so leaving the filter out needs a second confirmation. */
async function isSure(output: Output, yes: number): Promise<boolean> {
  if (yes >= 2) return true;
  if (!canAsk(output)) {
    throw new PommelError(
      "usage",
      "--no-filter may share secrets that newer patterns find, but there is no terminal to ask.",
      "Omit --no-filter, or pass --yes twice.",
    );
  }
  const first = "Share sessions without scrubbing them with the current patterns?";
  const second = "Anyone who can read the remote can read them, for good. Are you sure?";
  return (await confirm(first, false)) && (await confirm(second, false));
}

async function pull(
  cwd: string,
  { dryRun, force }: { dryRun: boolean; force: boolean },
  output: Output,
): Promise<undefined> {
  const report = await exchange(cwd, { direction: "pull", dryRun, force }, output);
  reportTrouble({ ...report, leftOut: 0, waiting: 0 }, output);
  showAnswer(output, syncResult(report, { dryRun, filter: true }), () => wordSync(report, dryRun));
}

async function exchange(cwd: string, request: SyncRequest, output: Output): Promise<SyncReport> {
  const project = await findProject(cwd);
  const progress = syncProgress();
  const asked = { ...request, mayAsk: canAsk(output), askPassphrase: makePassphraseAsker(output) };
  const how = { onProgress: progress.onProgress, onNote: output.note };
  return call(shareThroughGit, asked, project, how).finally(progress.finish);
}
