import { classifyTree } from "../codec/open-codec.ts";
import { makeNotOursError } from "../refusals.ts";
import { fetchBranch, pushBranch, RemoteFailure, readRemoteTip, remoteRef } from "../remote.ts";
import type { SyncRun } from "../report.ts";
import { findTip, type Tip } from "./branch.ts";
import { readRef, setRef } from "./objects.ts";

/** Fetches from and pushes to the remote; failures go into the report. */

/** The branch's tip at the remote, or the last known one when it cannot be reached. */
export async function fetchRemoteTip(run: SyncRun, hasRemote: boolean): Promise<string | null> {
  const { dir, settings, options, report } = run;
  const { remote, branch } = settings;
  const last = (await readRef(dir, remoteRef))?.hash ?? null;
  if (!hasRemote) {
    report.trouble = { kind: "no_remote", message: `No remote ${remote}.` };
    return null;
  }
  const access = { mayAsk: options.mayAsk ?? false, signal: options.signal };
  let tip: string | null = null;
  try {
    tip = await readRemoteTip(dir, remote, branch, access);
    if (tip === null || tip === last) return tip;
    await fetchBranch(dir, remote, branch, access);
    return (await readRef(dir, remoteRef))?.hash ?? null;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    const isDamaged =
      tip !== null &&
      /bad (?:object|tree)|missing|corrupt|unable to read|could not read|did not send all|not our ref|inflate|loose object|hash mismatch|upload-pack/i.test(
        `${error.message}`,
      );
    report.trouble = isDamaged
      ? {
          kind: "damaged",
          message: `The branch ${branch} at ${remote} is damaged (${error.message}). Nothing was imported from it; new sessions stay here.`,
        }
      : {
          kind: "unreachable",
          message: `${remote} could not be reached (${error.message}). New sessions stay here and are shared next time.`,
        };
    return last;
  }
}

/** The tip if its files are readable; else reports a problem and returns null. */
export async function findReadableTip(run: SyncRun, commit: string): Promise<Tip | null> {
  const { dir, settings, report } = run;
  const ref = await readRef(dir, remoteRef);
  if (ref?.hash === commit && !ref.isCommit) throw makeNotOursError(settings.branch);
  const tip = await findTip(dir, commit);
  if (tip === null)
    report.problems.push({ path: "", reason: "the files of the commit are missing or damaged" });
  else if (classifyTree(tip.tree) === null) throw makeNotOursError(settings.branch);
  return tip;
}

/** @returns whether the push was rejected because the remote moved on */
export async function push(run: SyncRun, commit: string): Promise<boolean> {
  const { dir, settings, options, report } = run;
  try {
    const access = { mayAsk: options.mayAsk ?? false, signal: options.signal };
    if (!(await pushBranch(dir, settings.remote, settings.branch, commit, access))) return true;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    report.trouble = {
      kind: "unreachable",
      message: `It could not be pushed to ${settings.remote} (${error.message}). New sessions stay here and are shared next time.`,
    };
    return false;
  }
  await setRef(dir, remoteRef, commit);
  report.pushed = true;
  report.isUpToDate = true;
  return false;
}
