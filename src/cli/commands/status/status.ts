import { setTimeout as sleep } from "node:timers/promises";
import { autostartStatus } from "../../../client/autostart.ts";
import { call } from "../../../client/call.ts";
import type { UnreachableReason } from "../../../client/daemon-client.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { explanationOf } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { StatusResponse } from "../../../protocol/operations/status.ts";
import type { CommandContext } from "../../frame.ts";
import type { Output } from "../../terminal/output.ts";
import { renderSkipped, renderStatus } from "./view.ts";

interface StatusOptions {
  watch?: boolean;
  skipped?: boolean;
  check?: boolean;
}

const refreshMs = 2000;

/**
 * `pm status`: what the daemon says, or what can be read without one.
 * @throws DaemonUnreachable with `--check`, when the daemon does not answer
 */
export async function statusCommand({ cwd, output }: CommandContext, options: StatusOptions): Promise<void> {
  const project = await findProject(cwd);
  if (options.skipped) {
    const { skippedFiles } = await import("../../../queries/search/code.ts");
    const skipped = await skippedFiles(project);
    output.result({ skipped }, () => renderSkipped(skipped, output.colors));
  } else if (options.watch) {
    await watch(project, output);
  } else {
    const found = await statusOf(project, options.check ? "fail" : "here");
    const status = await withGit(project, await withSharing(project, found));
    output.result(status, () => renderStatus(status, output));
  }
}

/** Says what is new since the memory was shared last, where it is shared. */
async function withSharing(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { notSharedText, notSharedYet } = await import("../../../queries/sync/not-shared.ts");
  // The status already shows why a memory cannot be read.
  const counts = await notSharedYet(project).catch(() => null);
  const text = counts === null ? null : notSharedText(counts);
  return text === null ? status : { ...status, notes: [...status.notes, `${text} Run \`pm share git\`.`] };
}

/** Says what keeps git from reading the repository. */
async function withGit(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { historyProblem } = await import("../../../git/history/history.ts");
  const problem = await historyProblem(project.root);
  return problem?.isBroken ? { ...status, notes: [...status.notes, explanationOf(problem)] } : status;
}

async function statusOf(project: Project, without: "here" | "fail" = "here"): Promise<StatusResponse> {
  const reasons: string[] = [];
  const onHere = (why: UnreachableReason) => reasons.push(why);
  const status = await call("status", {}, project, { without, onHere });
  if (status.daemon.running) return status;
  const autostart = autostartStatus(loadConfig(project).config["daemon.autostart"]);
  const notes = reasons[0] === "timeout" ? ["The Pommel daemon did not answer within 10 s."] : [];
  return {
    ...status,
    daemon: { ...status.daemon, autostart },
    notes: [...notes, ...status.notes],
  };
}

/** On a terminal a dashboard; elsewhere every look is a block, or a line of JSON. */
async function watch(project: Project, output: Output): Promise<void> {
  if (process.stdout.isTTY === true && !output.json) {
    const { showDashboard } = await import("./dashboard.ts");
    return showDashboard(() => statusOf(project), output.colors);
  }
  for (;;) {
    const status = await statusOf(project);
    if (output.json) process.stdout.write(`${JSON.stringify(status)}\n`);
    else process.stdout.write(`${renderStatus(status, output)}\n\n`);
    await sleep(refreshMs);
  }
}
