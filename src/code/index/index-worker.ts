import { parentPort, workerData } from "node:worker_threads";
import { collectAfterWork, collectWhenGrown } from "../../base/collect-garbage.ts";
import { toThrownError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { lowerThreadPriority, nameThread } from "../../base/thread.ts";
import { indexDriver } from "../../engines/drivers.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { createIgnoreRules } from "../files/ignore.ts";
import type { FromIndexThread, IndexRequest, IndexThreadSettings, ToIndexThread } from "./index-messages.ts";
import { Indexer } from "./indexer.ts";

/** A thread that writes the index: see index-thread.ts. */

/** How often progress is reported, and garbage looked at, while there is work. Milliseconds. */
const progressMs = 200;

const port = parentPort!;
const postToParent = (message: FromIndexThread) => port.postMessage(message);
const { project, config, withVectors, modelDir } = workerData as IndexThreadSettings;

const log: Logger = {
  debug: (message) => postToParent({ log: "debug", message }),
  info: (message) => postToParent({ log: "info", message }),
  warn: (message) => postToParent({ log: "warn", message }),
  error: (message) => postToParent({ log: "error", message }),
};

interface OpenIndex {
  index: CodeIndex;
  indexer: Indexer;
}

nameThread("pm-index");
lowerThreadPriority(log);

let opened: Promise<OpenIndex> | null = null;
let working = 0;
let timer: NodeJS.Timeout | undefined;

async function open(): Promise<OpenIndex> {
  const rules = createIgnoreRules(project.root, config);
  const reload = () => {
    rules.reload();
    postToParent({ reloaded: true });
  };
  const driver = await indexDriver(config);
  const index = driver.openBeside!(project.indexDb);
  const indexer = new Indexer({
    project,
    config,
    rules: { ...rules, reload },
    index,
    withVectors,
    modelDir,
    log,
  });
  return { index, indexer };
}

port.on("message", (message: ToIndexThread) => {
  void (message === "end" ? end() : answer(message));
});

async function answer(request: IndexRequest): Promise<void> {
  const { id } = request;
  working++;
  timer ??= setInterval(afterWork, progressMs);
  try {
    const done = await run(request);
    await report();
    postToParent({ id, done });
  } catch (error) {
    postToParent({ id, failed: toThrownError(error) });
  }
  if (--working > 0) return;
  clearInterval(timer);
  timer = undefined;
  collectAfterWork();
}

async function run({ on, what, args }: IndexRequest): Promise<unknown> {
  opened ??= open();
  const { index, indexer } = await opened;
  const of = { indexer, index, commits: index.commits }[on];
  const methods = of as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  return methods[what]!(...args);
}

function afterWork(): void {
  void report();
  collectWhenGrown();
}

async function report(): Promise<void> {
  const now = await opened?.catch(() => null);
  if (now) postToParent({ progress: now.indexer.progress() });
}

async function end(): Promise<void> {
  const now = await opened?.catch(() => null);
  await now?.indexer.close();
  await now?.index.close();
  port.close();
}
