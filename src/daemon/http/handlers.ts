import pLimit from "p-limit";
import { whyNoModelScrubs } from "../../models/generate/registry.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { type OperationName, operationNames, run } from "../../queries/operations.ts";
import { describeCode, queueWith, statusWith } from "../../queries/status/status-of.ts";
import type { InUse } from "../projects/projects.ts";
import type { SpoolReader } from "../spool/spool-reader.ts";
import type { CheckoutRoute, Handlers } from "./handled-routes.ts";
import { transcriptHandlers } from "./transcript-handlers.ts";

/** Of several hooks' questions that are worked on at once, each is answered too late. */
const oneByOne = pLimit(1);

/** The operations as any process runs them: here on what is open. */
function engineHandlers(project: Project): Pick<Handlers, OperationName> {
  const answers = operationNames.map((name) => [
    name,
    (request: RequestOf<typeof name>, signal?: AbortSignal) => run(project, name, request, { signal }),
  ]);
  return Object.fromEntries(answers);
}

interface CheckoutHandlersOptions {
  inUse: InUse;
  spool: SpoolReader;
  record: () => DaemonRecord;
  /** What `pm doctor` checks. */
  diagnose: (project: Project) => Promise<ResponseOf<"doctor">>;
}

/** The handler of each operation about a checkout that is open: from what is stored, or from what works on it. */
export function checkoutHandlers(options: CheckoutHandlersOptions): Pick<Handlers, CheckoutRoute> {
  const { inUse, spool } = options;
  const { checkout, settings } = inUse;
  const { project, config, work, embedders, of } = checkout;
  const { memoryWork, transcripts, report } = of;
  const engine = engineHandlers(project);
  return {
    ...engine,
    ...transcriptHandlers(memoryWork),
    async context(request) {
      const arrived = performance.now();
      const left = () => (request.within_ms ?? Number.POSITIVE_INFINITY) - (performance.now() - arrived);
      try {
        return await oneByOne(() => engine.context({ ...request, within_ms: left() }));
      } finally {
        // The hook has left an item, too: it can wait, hooks cannot.
        if (oneByOne.pendingCount === 0) spool.notify();
      }
    },
    index({ paths, full }) {
      if (full) work.reindex("all");
      else if (paths && paths.length > 0) work.reindex(paths);
      else work.reconcile();
      return { queued: true, pending: work.queue().pending };
    },
    scrub({ llm: withModel = false }) {
      if (!withModel) {
        memoryWork.scrub();
        return { queued: true };
      }
      const problem = whyNoModelScrubs(config);
      if (problem !== null)
        throw new PommelError(
          "usage",
          `No language model looks for secrets: ${problem}.`,
          "Set scrub.llm to true, and llm.model to a model on this machine; see docs/scrubbing.md.",
        );
      const sessions = memoryWork.scrubOldLines();
      return { queued: sessions > 0, sessions };
    },
    queue() {
      const sessions = report.jobs();
      return { ...queueWith(work.queue(), sessions), sessions, past: transcripts.past() };
    },
    async status() {
      const memory = report.status();
      const queue = queueWith(work.queue(), memory.jobs);
      const how = { embedders: () => embedders, pending: queue.pending, life: work };
      const described = await describeCode(project, config, work, how);
      if (described.error !== undefined) work.suspect(described.error);
      const status = statusWith(project, config, described, report.models());
      const { health, models } = status;
      const isDegraded =
        memory.llm.problem !== null ||
        [...models.code, ...models.text].some(({ state }) => state === "unavailable");
      if (isDegraded && health.status === "healthy") health.status = "degraded";
      return {
        ...status,
        daemon: {
          running: true,
          pid: process.pid,
          port: options.record().port,
          uptime_seconds: Math.round(process.uptime()),
          memory_bytes: process.memoryUsage.rss(),
        },
        queue,
        memory: { ...memory, vanishing: transcripts.vanishing() },
        notes: [
          ...(settings.problem === null ? [] : [settings.problem]),
          ...checkout.notes(),
          ...(queue.last_error === null ? [] : [queue.last_error]),
        ],
      };
    },
    doctor: () => options.diagnose(project),
    async changeSetting(request) {
      const changed = await engine.changeSetting(request);
      settings.reload();
      return changed;
    },
  };
}
