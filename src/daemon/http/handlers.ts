import type { Embedders } from "../../models/embed/embedders.ts";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { SearchRequest, SearchResponse } from "../../protocol/operations/search.ts";
import type { QueueStatus } from "../../protocol/operations/status.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { codeNamed } from "../../queries/context/named-code.ts";
import type { Injection } from "../../queries/context/quote.ts";
import { answerFromStore, type OperationName, operationNames } from "../../queries/operations.ts";
import { orFromDisk, toCodeQuery } from "../../queries/search/code.ts";
import { aboutPackage } from "../../queries/search/packages.ts";
import { describeCodeModels } from "../../queries/status/model-status.ts";
import { describePage } from "../../queries/status/page.ts";
import { changeSetting } from "../../queries/status/settings.ts";
import { ageOf, describeIndex } from "../../queries/status/status.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { scrubberOf } from "../../sessions/from-config.ts";
import type { MemoryReport } from "../jobs/memory-report.ts";
import type { MemoryWork } from "../jobs/memory-work.ts";
import type { LiveSettings } from "../lifecycle/live-settings.ts";
import { LogReader } from "../lifecycle/log-reader.ts";
import type { SpoolReader } from "../spool/spool-reader.ts";
import type { ConversationWatch } from "../watch/conversation-watch.ts";
import type { IndexWork } from "../watch/index-work.ts";
import { createMemoryHandlers } from "./memory-handlers.ts";
import { codeLifetimeMs, type PageAccess } from "./page-access.ts";
import type { Handlers } from "./server.ts";

/** Entries of the log, where a request does not say how many. */
const shownEntries = 100;

/** The operations that need only the open memory. */
function handlersFromStore(project: Project): Pick<Handlers, OperationName> {
  const answers = operationNames.map((name) => [
    name,
    (request: RequestOf<typeof name>, signal?: AbortSignal) =>
      answerFromStore(project, name, request, signal),
  ]);
  return Object.fromEntries(answers);
}

interface HandlersOptions {
  project: Project;
  config: Config;
  work: IndexWork;
  embedders: Embedders;
  memoryWork: MemoryWork;
  report: MemoryReport;
  conversations: ConversationWatch;
  spool: SpoolReader;
  settings: LiveSettings;
  record: () => DaemonRecord;
  /** What a person should know about the daemon's work. */
  notes: () => string[];
  roots: () => readonly string[];
  runCommand: (request: RequestOf<"command">) => Promise<ResponseOf<"command">>;
  /** What `pm doctor` checks. */
  diagnose: () => Promise<ResponseOf<"doctor">>;
  isInForeground: boolean;
  pages: PageAccess;
  /** Called after the answer is on its way. */
  onShutdown: () => void;
}

/** The handler of each operation in the daemon: from what is stored, or from the daemon's own state. */
export function createHandlers(options: HandlersOptions): Handlers {
  const { project, config, work, embedders, memoryWork, conversations, spool, roots, report } = options;
  const memoryHandlers = createMemoryHandlers({
    ...{ root: project.root, work: memoryWork, config, roots },
    namedCode: (prompt) => namedCode(work, prompt),
  });
  async function search(request: SearchRequest): Promise<SearchResponse> {
    return orFromDisk(project, config, request, async () => {
      const answer = await work.ask(toCodeQuery(request, config));
      const { pending, is_idle } = work.queue();
      // An empty queue between two files does not mean that the pass is over.
      return { ...answer, index: await ageOf(work.index, is_idle ? 0 : Math.max(pending, 1)) };
    });
  }
  function queueOf(sessions: { is_idle: boolean }): QueueStatus {
    const code = work.queue();
    return { ...code, is_idle: code.is_idle && sessions.is_idle, code_is_idle: code.is_idle };
  }
  return {
    ...handlersFromStore(project),
    ...memoryHandlers,
    searchTranscripts: async (request, signal) =>
      memoryHandlers.searchTranscripts(await aboutPackage(project, request), signal),
    context(request) {
      // The hook that asks has left a note, too.
      spool.notify();
      return memoryHandlers.context(request);
    },
    search,
    spool() {
      spool.notify();
      return { taken: true };
    },
    index({ paths, full }) {
      if (full) work.reindex("all");
      else if (paths && paths.length > 0) work.reindex(paths);
      else work.reconcile();
      return { queued: true, pending: work.queue().pending };
    },
    queue() {
      const sessions = report.jobs();
      return { ...queueOf(sessions), sessions, past: conversations.past() };
    },
    async status() {
      const memory = report.status();
      const queue = queueOf(memory.jobs);
      const model = config["embed.code"];
      const { error, ...described } = await describeIndex(project, config, work, queue.pending);
      if (error !== undefined) work.suspect(error);
      const code = error === undefined ? await describeCodeModels(work.index, embedders, work) : [];
      const text = report.models();
      const isDegraded =
        memory.llm.problem !== null || [...code, ...text].some(({ state }) => state === "unavailable");
      if (isDegraded && described.health.status === "healthy") described.health.status = "degraded";
      return {
        version,
        project: project.root,
        daemon: {
          running: true,
          pid: process.pid,
          port: options.record().port,
          uptime_seconds: Math.round(process.uptime()),
          memory_bytes: process.memoryUsage.rss(),
        },
        ...described,
        queue,
        models: {
          embedding_code: model,
          code,
          embedding_text: config["embed.text"],
          text,
        },
        memory: { ...memory, vanishing: conversations.vanishing() },
        notes: [...options.notes(), ...(queue.last_error === null ? [] : [queue.last_error])],
      };
    },
    page: () => describePage(project, work.index),
    pageCode: () => ({ code: options.pages.createCode(), expires_in_seconds: codeLifetimeMs / 1000 }),
    command: options.runCommand,
    doctor: options.diagnose,
    log({ lines = shownEntries }) {
      const reader = new LogReader(project);
      const entries = reader.all(lines);
      reader.close();
      // The log holds no secrets, but messages of errors may name what somebody typed.
      const scrubber = scrubberOf(project, config);
      return {
        entries: entries.map(({ time, level, text }) => ({
          ...{ at: new Date(time).toISOString(), level, text: scrubAlone(scrubber, text) },
        })),
      };
    },
    changeSetting(request) {
      const changed = changeSetting(project, request);
      options.settings.reload();
      return changed;
    },
    reloadSettings: () => ({ ...options.settings.reload(), in_foreground: options.isInForeground }),
    shutdown() {
      setImmediate(options.onShutdown);
      return { stopping: true, pid: process.pid };
    },
  };
}

/** A failing index must not prevent the rest of the context. */
async function namedCode(work: IndexWork, prompt: string): Promise<Injection[]> {
  try {
    return await codeNamed(work.index, prompt);
  } catch (error) {
    work.suspect(error);
    return [];
  }
}
