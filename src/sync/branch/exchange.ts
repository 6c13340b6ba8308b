import { kindOfTree } from "../codec/open-codec.ts";
import { notOurs } from "../refusals.ts";
import { fetchBranch, pushBranch, RemoteFailure, remoteRef, tipAtRemote } from "../remote.ts";
import type { Run } from "../report.ts";
import { type Tip, tipIfThere } from "./branch.ts";
import { readRef, setRef } from "./objects.ts";

/** What is said to the remote and what it answers, with what went wrong in the report. */

/** What the branch is at the remote; where that cannot be asked, what it was the last time. */
export async function remoteTip(run: Run, hasRemote: boolean): Promise<string | null> {
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
    tip = await tipAtRemote(dir, remote, branch, access);
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
          message: `The branch ${branch} at ${remote} is damaged (${error.message}). Nothing of it was imported; new sessions stay here.`,
        }
      : {
          kind: "unreachable",
          message: `${remote} could not be reached (${error.message}). New sessions stay here and are shared next time.`,
        };
    return last;
  }
}

/** A tip whose files are there; null where they are damaged, which is told. */
export async function readableTip(run: Run, commit: string): Promise<Tip | null> {
  const { dir, settings, report } = run;
  const ref = await readRef(dir, remoteRef);
  if (ref?.hash === commit && !ref.isCommit) throw notOurs(settings.branch);
  const tip = await tipIfThere(dir, commit);
  if (tip === null)
    report.problems.push({ path: "", reason: "the files of the commit are missing or damaged" });
  else if (kindOfTree(tip.tree) === null) throw notOurs(settings.branch);
  return tip;
}

/** @returns whether somebody else was faster, and it is to be done again */
export async function push(run: Run, commit: string): Promise<boolean> {
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
