import { parentPort } from "node:worker_threads";
import { collectAfterWork, collectWhenGrown } from "../../../base/collect-garbage.ts";
import type { Config } from "../../../base/config/settings.ts";
import { toThrownError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { lowerThreadPriority, nameThread } from "../../../base/thread.ts";
import type { Embedders } from "../../../models/embed/embedders.ts";
import type { CurrentScrubber } from "../../../redact/project-scrubber.ts";
import { Memory } from "../../../store/memory/memory.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import { ensureSecretKey } from "../../../store/memory/privacy/secrets.ts";
import { indexAllSessions } from "../../../store/memory/sessions/session-index.ts";
import { doNextJob, type JobRun, type QueueOptions } from "../do-job.ts";
import { GitJobs } from "../git-work.ts";
import { isOwnerAlive } from "../job-worker.ts";
import { besideKinds, type FromThread, type JobTurn, type ToThread, threadKinds } from "./thread-messages.ts";

/**
 * A thread that reads transcripts and analyses commits: see job-threads.ts. Each daemon starts one to look for commits, and mostly
 * finds none, so the code that reads transcripts is loaded with the first of these.
 */

const port = parentPort!;
const post = (message: FromThread) => port.postMessage(message);
const log: Logger = {
  debug: (message) => post({ log: "debug", message }),
  info: (message) => post({ log: "info", message }),
  warn: (message) => post({ log: "warn", message }),
  error: (message) => post({ log: "error", message }),
};

nameThread("pm-sessions");
lowerThreadPriority(log);

let turn: Promise<void> = Promise.resolve();
let leaving = new AbortController();
let embedders: (Embedders & { of: string }) | null = null;

/** Resolvers for the callers that wait until the file observations so far are stored. */
const settling: (() => void)[] = [];
const waitUntilSettled = () =>
  new Promise<void>((resolve) => {
    settling.push(resolve);
    post("settle");
  });

port.on("message", (message: ToThread) => {
  if (message === "settled") for (const resolve of settling.splice(0)) resolve();
  else if (message === "leave") leaving.abort(new Error("Others wait."));
  else if (message === "end") void turn.then(() => port.close());
  else {
    leaving = new AbortController();
    turn = take(message.turn, message.owner, leaving.signal).then(
      () => post("over"),
      (error: unknown) => post({ failed: toThrownError(error) }),
    );
  }
});

async function take(asked: JobTurn, owner: string, signal: AbortSignal): Promise<void> {
  const { project, config, roots, kinds, hasScrubbingModel } = asked;
  const memory = Memory.open(project.memoryDb, { readonly: false, background: true });
  try {
    let current: CurrentScrubber | null = null;
    const getScrubber = async () => {
      const { CurrentScrubber } = await import("../../../redact/project-scrubber.ts");
      current ??= new CurrentScrubber({ project, config });
      return current.get();
    };
    const buildWork = async () => {
      const { buildCutSettings } = await import("../../../sessions/chunks/cut-rules.ts");
      return {
        memory,
        roots,
        hasScrubbingModel,
        log,
        ...buildCutSettings(config),
        embedder: (await getEmbedders(config)).first,
        scrubber: await getScrubber(),
        ledgerKey: ensureSecretKey(memory),
        root: project.root,
        worktrees: roots.filter((root) => root !== project.root),
        bindsCommits: config["sessions.capture"],
      };
    };
    const readNext = async (job: JobRecord, run: JobRun) => {
      const { readTranscript } = await import("./read-transcript.ts");
      return readTranscript(await buildWork(), job, run);
    };
    const sumUp = async (job: JobRecord, run: JobRun) => {
      const { sumUpInThread } = await import("./sum-up-job.ts");
      return sumUpInThread(await buildWork(), config, job, run);
    };
    const git = new GitJobs({
      project,
      config,
      memory,
      settled: waitUntilSettled,
      log,
      scrubber: getScrubber,
      roots: () => roots,
    });
    let hasMore = true;
    const queue: QueueOptions = {
      memory,
      owner,
      kinds,
      log,
      after: [...threadKinds, ...besideKinds],
      isAlive: isOwnerAlive,
      run(job, run) {
        if (job.kind === "transcript") return readNext(job, run);
        if (job.kind === "summary") return sumUp(job, run);
        // The threads that helped to read have left for this job, and return with the next turn.
        hasMore = false;
        return git.run(job, run);
      },
    };
    while (hasMore && !signal.aborted && (await doNextJob(queue, signal))) {
      indexAllSessions(memory);
      collectWhenGrown();
      post("job");
    }
  } finally {
    // Otherwise the thread that answers requests would have to do this with its next change.
    memory.moveLog();
    memory.close();
    collectAfterWork();
  }
}

/** The embedders, which are kept for the next turn. */
async function getEmbedders(config: Config): Promise<Embedders> {
  const { createEmbedders } = await import("../../../models/embed/embedders.ts");
  const of = config["embed.text"];
  if (embedders?.of !== of) embedders = { ...createEmbedders(config, "text"), of };
  return embedders;
}
