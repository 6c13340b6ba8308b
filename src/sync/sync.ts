import { PommelError } from "../base/errors.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import type { Memory } from "../store/memory/memory.ts";
import { flushChanges, markAllChanged, setSyncFact, syncFact, syncFacts } from "../store/memory/sharing.ts";
import { forgetSigned } from "../store/memory/signers.ts";
import { Files, findTip, readTip, type Tip } from "./branch/branch.ts";
import { fetchRemoteTip, findReadableTip, push } from "./branch/exchange.ts";
import {
  type BlobReader,
  isAncestor,
  moveRef,
  openBlobs,
  readRef,
  setRef,
  writeCommit,
} from "./branch/objects.ts";
import { BranchWriter } from "./branch/write-branch.ts";
import { openCodec } from "./codec/open-codec.ts";
import { listThingsToExport, sharedFact } from "./export-files.ts";
import { SignedRecords } from "./origin/signed-records.ts";
import type { ExportWork } from "./records/from-memory.ts";
import { importTip } from "./records/import-records.ts";
import { finishSessions } from "./records/to-memory-session.ts";
import { refuseStrangers, refuseWhereItCannot } from "./refusals.ts";
import { pushUrls } from "./remote.ts";
import {
  chooseTroubleHint,
  makeEmptyCounts,
  type SyncCounts,
  type SyncOptions,
  type SyncReport,
  type SyncRun,
  type SyncSettings,
} from "./report.ts";

/** After so many rejected pushes, report and stop. */
const maxPushes = 3;

/** Keys of sync_state: the imported commit, the last written commit, their branch, and its encryption. */
const facts = {
  takenIn: "taken in",
  written: "written",
  branch: "branch",
  encryption: "encryption",
} as const;

/** Whether this memory was ever shared or imported from others. */
export function isSharing(memory: Memory): boolean {
  return syncFact(memory, facts.written) !== null || syncFact(memory, facts.takenIn) !== null;
}

/**
 * Shares new records and imports those of others through a git branch unrelated to the code: fetch, import, join, push;
 * repeated when the push is rejected. Does not touch index or working tree, and can be interrupted anywhere. Without a
 * reachable remote, new records stay on the local branch, and the report says so.
 * @throws PommelError `sync_refused` when not allowed, `sync_failed` when a pull failed
 */
export async function syncMemory(
  work: ScrubbingWork,
  settings: SyncSettings,
  options: SyncOptions = {},
): Promise<SyncReport> {
  const { direction = "both", dryRun = false } = options;
  const dir = work.root;
  const ref = `refs/heads/${settings.branch}`;
  await refuseWhereItCannot(dir, settings.branch);
  const urls = await pushUrls(dir, settings.remote);
  if (direction === "both" && !dryRun) refuseStrangers(urls ?? [], { settings, options });
  const run: SyncRun = {
    work,
    settings,
    signing: await settings.signing(),
    options,
    dir,
    ref,
    report: {
      branch: settings.branch,
      remote: settings.remote,
      encrypted: settings.encryption !== "none",
      shared: makeEmptyCounts(),
      imported: makeEmptyCounts(),
      leftOut: 0,
      waiting: 0,
      commit: null,
      isUpToDate: false,
      pushed: false,
      problems: [],
      quarantine: null,
      trouble: null,
    },
  };
  await prepare(run);
  const blobs = openBlobs(dir);
  try {
    let pushes = 0;
    while (await syncRound(run, blobs, urls !== null)) {
      if (++pushes < maxPushes) continue;
      run.report.trouble = {
        kind: "rejected",
        message: `Others pushed first ${maxPushes} times. New sessions stay here and are shared next time.`,
      };
      break;
    }
  } finally {
    await blobs.close();
  }
  const { trouble } = run.report;
  if (direction === "pull" && trouble !== null) {
    throw new PommelError("sync_failed", trouble.message, chooseTroubleHint(trouble, settings));
  }
  run.report.commit = (await readRef(dir, ref))?.hash ?? null;
  return run.report;
}

/** A new or deleted branch gets everything. */
async function prepare({ work, settings, signing, dir, ref, options }: SyncRun): Promise<void> {
  const { memory } = work;
  const isOther = (syncFact(memory, facts.branch) ?? settings.branch) !== settings.branch;
  const isGone = syncFact(memory, facts.written) !== null && (await readRef(dir, ref)) === null;
  if (isOther || isGone) {
    memory.runInTransaction(() => {
      markAllChanged(memory);
      forgetSigned(memory);
      for (const fact of Object.values(facts)) setSyncFact(memory, fact, null);
    });
  }
  if (options.dryRun) return;
  setSyncFact(memory, facts.branch, settings.branch);
  signing.trust.relabelRecords(memory);
}

/** @returns whether the push was rejected and the round must be repeated */
async function syncRound(run: SyncRun, blobs: BlobReader, hasRemote: boolean): Promise<boolean> {
  const { work, settings, signing, options, dir, ref, report } = run;
  const { direction = "both", dryRun = false, force = false, filter = true, everything = false } = options;
  const { memory } = work;
  report.trouble = null;
  const remote = await fetchRemoteTip(run, hasRemote);
  const here = (await readRef(dir, ref))?.hash ?? null;
  const signed = new SignedRecords(memory, signing, settings.author);
  const exportWork: ExportWork = { work, filter, me: settings.author, authorshipOf: signed.authorshipOf };
  const { things, leftOut, waiting } = listThingsToExport(exportWork, { everything });
  report.leftOut = leftOut;
  report.waiting = waiting;
  const imported = force ? null : syncFact(memory, facts.takenIn);
  const isHere = remote === null || remote === imported;
  const isThere = things.length === 0 && (here === null || here === remote);
  const isHalfDone = syncFacts(memory, "cut ").length > 0;
  const isAsBefore = syncFact(memory, facts.encryption) === settings.encryption;
  if (isHere && !isHalfDone && (isAsBefore || remote === null) && (isThere || direction === "pull")) {
    report.isUpToDate = report.trouble === null && isThere;
    return false;
  }

  const theirs = remote === null ? null : await findReadableTip(run, remote);
  const ours = here === null ? null : await readTip(dir, here);
  const present = {
    trees: [theirs, ours].flatMap((tip) => tip?.tree ?? []),
    read: (hash: string) => blobs.read(hash),
  };
  const files = new Files(blobs, await openCodec(present, { ...settings, isTrial: dryRun }));
  if (!dryRun) await finishSessions({ ...exportWork, filter: true }, options.signal);
  if (theirs !== null && theirs.commit !== imported) {
    const before = imported === null ? null : await findTip(dir, imported);
    const counts = await importTip(
      { ...exportWork, filter: true },
      files,
      { tip: theirs, before },
      {
        signed,
        dryRun,
        signal: options.signal,
        onProgress: (done, n) => options.onProgress?.(done, n, "importing"),
      },
    );
    add(report.imported, counts);
    await quarantine(run, files, theirs.commit);
    if (!dryRun) setSyncFact(memory, facts.takenIn, theirs.commit);
  }
  if (!dryRun) setSyncFact(memory, facts.encryption, settings.encryption);
  if (direction === "pull") {
    report.isUpToDate = report.trouble === null;
    return false;
  }

  // Includes records just imported: they are compared, and not shared again.
  const { things: all, others } = listThingsToExport(exportWork, { everything });
  const { tips, parents } = await chooseParents(dir, ours, theirs, remote);
  // Where nothing is shared yet, all of it is new, however it is scrubbed; that takes most of the time.
  const counted = { ...exportWork, filter: filter && !(dryRun && tips.length === 0) };
  const writer = new BranchWriter(counted, files, {
    signed,
    tips,
    things: all,
    signal: options.signal,
    onProgress: (done, n) => options.onProgress?.(done, n, "sharing"),
  });
  const next = await writeNewCommit(run, writer, parents, tips);
  add(report.shared, writer.counts);
  if (dryRun) return false;
  const commit = next ?? tips[0]?.commit ?? null;
  if (commit !== null && commit !== here && !(await moveRef(dir, ref, commit, here))) return true;
  memory.runInTransaction(() => {
    flushChanges(
      memory,
      [...all, ...others].map(({ id }) => id),
    );
    signed.save();
    if (everything)
      for (const { kind, uid } of all) if (kind === "session") setSyncFact(memory, sharedFact + uid, "1");
    if (commit === null) return;
    setSyncFact(memory, facts.takenIn, commit);
    setSyncFact(memory, facts.written, commit);
  });
  if (report.trouble !== null) return false;
  if (commit === null || commit === remote) {
    report.isUpToDate = true;
    return false;
  }
  return push(run, commit);
}

async function quarantine({ dir, report, options }: SyncRun, files: Files, commit: string): Promise<void> {
  if (files.problems.size === 0 && report.problems.length === 0) return;
  for (const [path, reason] of files.problems) report.problems.push({ path, reason });
  files.problems.clear();
  if (options.dryRun) return;
  const ref = `refs/pommel/quarantine/${commit.slice(0, 12)}`;
  await setRef(dir, ref, commit);
  report.quarantine = ref;
}

/** The next commit's parents and inputs. */
async function chooseParents(
  dir: string,
  ours: Tip | null,
  theirs: Tip | null,
  remote: string | null,
): Promise<{ tips: Tip[]; parents: string[] }> {
  // The commit exists without its files: the next commit repairs it.
  if (theirs === null) {
    const parents = [ours?.commit, remote].filter((commit) => commit != null);
    return { tips: ours ? [ours] : [], parents: [...new Set(parents)] };
  }
  if (ours === null || ours.commit === theirs.commit || (await isAncestor(dir, ours.commit, theirs.commit))) {
    return { tips: [theirs], parents: [theirs.commit] };
  }
  if (await isAncestor(dir, theirs.commit, ours.commit)) return { tips: [ours], parents: [ours.commit] };
  return { tips: [theirs, ours], parents: [theirs.commit, ours.commit] };
}

/** @returns null when there is nothing to write */
async function writeNewCommit(
  { dir, options }: SyncRun,
  writer: BranchWriter,
  parents: readonly string[],
  tips: readonly Tip[],
): Promise<string | null> {
  const files = writer.write();
  if (options.dryRun) {
    for await (const _ of files);
    return null;
  }
  const first = await files.next();
  const isRepair = parents.length > tips.length;
  if (first.done && !isRepair) return null;
  async function* streamAll() {
    if (!first.done) yield first.value;
    yield* files;
  }
  const at = (options.now ?? Date.now)();
  const written = await writeCommit(dir, { parents, message: "Pommel memory", files: streamAll(), at });
  return written.commit;
}

function add(sum: SyncCounts, counts: SyncCounts): void {
  for (const key of Object.keys(sum) as (keyof SyncCounts)[]) sum[key] += counts[key];
}
