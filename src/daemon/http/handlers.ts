import { isAbsolute } from "node:path";
import pLimit from "p-limit";
import type { Agent } from "../../agents/agent.ts";
import { agentNamed, agents, defaultAgent, recognise } from "../../agents/registry.ts";
import { belongsTo } from "../../git/projects/roots.ts";
import { whyNoModelScrubs } from "../../models/generate/registry.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { RouteName } from "../../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { type OperationName, operationNames, run } from "../../queries/operations.ts";
import { describeCode, queueWith, statusWith } from "../../queries/status/status-of.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSession, saveSession, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { priority } from "../jobs/conversation-requests.ts";
import type { MemoryWork } from "../jobs/memory-work.ts";
import type { InUse } from "../projects/projects.ts";
import type { SpoolReader } from "../spool.ts";

/** The daemon behind the routes. */
export type Handlers = {
  [R in RouteName]: (
    request: RequestOf<R>,
    signal?: AbortSignal,
    /** The directory that a request to the daemon itself may name as well. */
    place?: string | null,
  ) => ResponseOf<R> | Promise<ResponseOf<R>>;
};

/** Asked of the daemon itself: about no project, or about all of them. */
const daemonRoutes = [
  ...(["daemon", "spool", "pageCode", "command", "log", "shutdown"] as const),
  ...(["browsers", "signOut"] as const),
  "reloadSettings",
  ...(["searchEverywhere", "sessionsEverywhere", "eventsEverywhere", "digestEverywhere"] as const),
  ...(["locateSession", "projects"] as const),
] as const;
export type DaemonRoute = (typeof daemonRoutes)[number] & RouteName;

export const isDaemonRoute = (route: RouteName): route is DaemonRoute =>
  (daemonRoutes as readonly RouteName[]).includes(route);

/** Asked of a checkout. */
export type CheckoutRoute = Exclude<RouteName, DaemonRoute>;

/** What only a daemon does: it records sessions. A memory that cannot be opened answers with what is wrong with it. */
export function transcriptHandlers(work: MemoryWork): Pick<Handlers, "indexTranscript" | "sessionStart"> {
  const guarded =
    <R, A>(answer: (work: MemoryWork, request: R) => A | Promise<A>) =>
    async (request: R): Promise<A> => {
      try {
        return await answer(work, request);
      } catch (error) {
        work.suspect(error);
        throw error;
      }
    };
  return { indexTranscript: guarded(indexTranscript), sessionStart: guarded(startSession) };
}

async function indexTranscript(
  work: MemoryWork,
  request: RequestOf<"indexTranscript">,
): Promise<ResponseOf<"indexTranscript">> {
  const { memory } = work;
  const refused = (reason: string) => ({ queued: false, reason, pending: work.pending() });
  if (!work.captures) return refused("The setting sessions.capture is false.");
  const paths = pathsIn(work, request);
  const agent = await agentOf(request, paths);
  if (paths.length === 0) return refused("No transcript of that session found.");
  const [only] = paths;
  if (only !== undefined && paths.length === 1 && !request.all_projects) {
    const info = await agent.describe(only).catch(() => null);
    if (info !== null && !belongsTo(work.roots, info.cwd)) {
      return refused(`The session ran in ${info.cwd}, outside this project.`);
    }
  }
  const isImport = request.trigger === "import";
  // One transaction for all of them.
  memory.inTransaction(() => {
    for (const path of new Set(paths)) {
      work.readOn(path, {
        agent: agent.name,
        priority: isImport ? priority.import : priority.live,
        is_import: isImport,
        ...(request.generate_summary && { generate_summary: true }),
        ...(request.all_projects && { all_projects: true }),
      });
    }
  });
  return { queued: true, reason: null, pending: work.pending() };
}

/** @throws PommelError `usage` for an unknown name */
async function agentOf(
  { agent: name }: RequestOf<"indexTranscript">,
  [first]: readonly string[],
): Promise<Agent> {
  if (name === undefined) return ((first && (await recognise(first))) || null)?.agent ?? defaultAgent;
  return agentCalled(name);
}

/** @throws PommelError `usage` for an unknown name */
function agentCalled(name: string): Agent {
  const agent = agentNamed(name);
  if (agent) return agent;
  const known = agents.map((one) => one.name).join(", ");
  throw new PommelError("usage", `Unknown agent: ${name}.`, `Choose from: ${known}.`);
}

function pathsIn(work: MemoryWork, request: RequestOf<"indexTranscript">): string[] {
  const { transcript_path: path, transcript_paths: paths = [], session_id: session } = request;
  const named = path === undefined ? paths : [path, ...paths];
  const odd = named.find((one) => !isAbsolute(one));
  if (odd !== undefined) {
    throw new PommelError("usage", `transcript_path: ${odd} is not absolute.`, "See docs/http.md.");
  }
  if (named.length > 0) return named;
  if (session === undefined) {
    throw new PommelError("usage", "transcript_path: missing.", "See docs/http.md.");
  }
  return listTranscripts(work.memory, findSession(work.memory, session).id).map((known) => known.path);
}

function startSession(
  work: MemoryWork,
  { session_id: uid, cwd, agent: name = defaultAgent.name }: RequestOf<"sessionStart">,
): ResponseOf<"sessionStart"> {
  const { memory } = work;
  const agent = agentCalled(name);
  const isOurs = cwd === undefined || belongsTo(work.roots, cwd);
  if (!work.captures || !isOurs || isForgotten(memory, uid)) return { registered: false };
  // A known session's transcript has better data; some clients send the origin's id when a fork begins.
  if (sessionByUid(memory, uid) === null) {
    saveSession(memory, { uid, agent: agent.name, cwd: cwd ?? "", startedAt: Date.now() });
  }
  return { registered: true };
}

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
