import { parentPort } from "node:worker_threads";
import { createEmbedders, type Embedders } from "../../../models/embed/embedders.ts";
import { collectAfterWork, collectWhenGrown } from "../../../project/collect-garbage.ts";
import type { Config } from "../../../project/config/settings.ts";
import type { Logger } from "../../../project/log.ts";
import { letQuestionsGoFirst } from "../../../project/thread-priority.ts";
import { thrown } from "../../../project/thrown-error.ts";
import { cutSettingsOf } from "../../../sessions/chunks/cut-rules.ts";
import { Memory } from "../../../store/memory/memory.ts";
import { secretKey } from "../../../store/memory/privacy/secrets.ts";
import { indexSessions } from "../../../store/memory/sessions/session-terms.ts";
import { CurrentScrubber } from "../current-scrubber.ts";
import { doNextJob } from "../do-job.ts";
import { isOwnerAlive } from "../job-owner.ts";
import { besideReading, readTranscript } from "./read-transcript.ts";
import type { FromReader, ReadingTurn, ToReader } from "./reader-messages.ts";

/** A thread that reads transcripts: see readers.ts. */

const port = parentPort!;
const post = (message: FromReader) => port.postMessage(message);
const log: Logger = {
  debug: (message) => post({ log: "debug", message }),
  info: (message) => post({ log: "info", message }),
  warn: (message) => post({ log: "warn", message }),
  error: (message) => post({ log: "error", message }),
};

letQuestionsGoFirst(log);

let turn: Promise<void> = Promise.resolve();
let leaving = new AbortController();
let embedders: (Embedders & { of: string }) | null = null;

port.on("message", (message: ToReader) => {
  if (message === "leave") leaving.abort(new Error("Others wait."));
  else if (message === "end") void turn.then(() => port.close());
  else {
    leaving = new AbortController();
    turn = take(message.turn, message.owner, leaving.signal).then(
      () => post("over"),
      (error: unknown) => post({ failed: thrown(error) }),
    );
  }
});

async function take(asked: ReadingTurn, owner: string, signal: AbortSignal): Promise<void> {
  const { project, config, roots, hasScrubbingModel } = asked;
  const memory = Memory.open(project.memoryDb, { readonly: false, background: true });
  try {
    const scrubber = new CurrentScrubber({ project, config });
    const work = () => ({
      ...{ memory, roots, hasScrubbingModel, log },
      ...cutSettingsOf(config),
      embedder: embeddersFor(config).first,
      scrubber: scrubber.get(),
      ledgerKey: secretKey(memory),
      root: project.root,
      worktrees: roots.filter((root) => root !== project.root),
      bindsCommits: config["sessions.capture"] && config["git.checkpoints"],
    });
    const queue = {
      ...{ memory, owner, log },
      kinds: ["transcript"],
      after: besideReading,
      isAlive: isOwnerAlive,
      run: (job, run) => readTranscript(work(), job, run),
    } satisfies Parameters<typeof doNextJob>[0];
    while (!signal.aborted && (await doNextJob(queue, signal))) {
      while (!indexSessions(memory));
      collectWhenGrown();
      post("job");
    }
  } finally {
    memory.close();
    collectAfterWork();
  }
}

/** Kept for the next turn. */
function embeddersFor(config: Config): Embedders {
  const of = config["embed.text"];
  if (embedders?.of !== of) embedders = { ...createEmbedders(config, "text"), of };
  return embedders;
}
