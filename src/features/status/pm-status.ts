import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../base/config/config.ts";
import { explainError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { readAutostartStatus } from "../../client/autostart.ts";
import { call } from "../../client/call.ts";
import type { UnreachableReason } from "../../client/daemon-client.ts";
import { lookUpProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { showNow } from "../now/operation.ts";
import { listNowRows } from "../now/words.ts";
import { countNotShared } from "../share/operation.ts";
import { formatNotShared } from "../share/words.ts";
import { showUsed } from "../used/operation.ts";
import { wordUsed } from "../used/words.ts";
import { listSkipped, type StatusResponse, showStatus } from "./operation.ts";
import { wordSkipped, wordStatus } from "./words.ts";

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
  const project = await lookUpProject(cwd);
  if (options.skipped) {
    const skipped = await call(listSkipped, {}, project);
    showAnswer(output, { skipped }, () => wordSkipped(skipped));
  } else if (options.watch) {
    await watch(project, output);
  } else {
    const found = await readStatus(project, options.check ? "fail" : "here");
    const status = await withGit(project, await withSharing(project, found));
    const hasSessions = status.memory.sessions > 0;
    // The status already shows why a memory cannot be read.
    const now = hasSessions ? await call(showNow, {}, project, { without: "here" }).catch(() => null) : null;
    const used = output.json || !hasSessions ? "" : await usedText(project);
    showAnswer(output, { ...status, now }, () =>
      wordStatus(status, used, now === null ? [] : listNowRows(now)),
    );
  }
}

/** How often agents called Pommel lately, and whether they used what they were given; "" where nothing is recorded. */
async function usedText(project: Project): Promise<string> {
  // The status already shows why a memory cannot be read.
  const used = await call(showUsed, {}, project, { without: "here" }).catch(() => null);
  return used === null ? "" : wordUsed(used);
}

/** Says what is new since the memory was shared last, where it is shared. */
async function withSharing(project: Project, status: StatusResponse): Promise<StatusResponse> {
  // The status already shows why a memory cannot be read.
  const counts = await call(countNotShared, {}, project).catch(() => null);
  const text = counts === null ? null : formatNotShared(counts);
  return text === null ? status : { ...status, notes: [...status.notes, `${text} Run \`pm share git\`.`] };
}

/** Says what keeps git from reading the repository. */
async function withGit(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { findHistoryProblem } = await import("../../git/history/history.ts");
  const problem = await findHistoryProblem(project.root);
  return problem?.isBroken ? { ...status, notes: [...status.notes, explainError(problem)] } : status;
}

async function readStatus(project: Project, without: "here" | "fail" = "here"): Promise<StatusResponse> {
  const reasons: string[] = [];
  const onHere = (why: UnreachableReason) => reasons.push(why);
  const status = await call(showStatus, {}, project, { without, onHere });
  if (status.daemon.running) return status;
  const autostart = readAutostartStatus(loadConfig(project).config["daemon.autostart"]);
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
    return showDashboard(() => readStatus(project), output);
  }
  for (;;) {
    const status = await readStatus(project);
    if (output.json) process.stdout.write(`${JSON.stringify(status)}\n`);
    else process.stdout.write(`${renderDocument(wordStatus(status), { screen: output })}\n\n`);
    await sleep(refreshMs);
  }
}
