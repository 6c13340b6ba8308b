import { loadConfig } from "../project/config/config.ts";
import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { audited } from "./audit.ts";
import type { changing } from "./changing.ts";
import { throughDoor } from "./door.ts";
import { withMemory, withMemoryIfAny, withMemoryOrNote } from "./open.ts";

/**
 * Runs each operation of `protocol/routes.ts` on what is stored: in the daemon, and in any process if no daemon runs.
 * Each is loaded on first use. Operations on the daemon's own state are elsewhere.
 */
const operations = {
  search: async (project, request) => (await import("./search/code.ts")).searchCode(project, request),
  searchTranscripts: async (project, request, { signal }) =>
    (await import("./search/all.ts")).searchTranscripts(project, request, signal),
  searchHistory: async (project, request, { signal }) =>
    (await import("./search/history.ts")).searchHistory(project, request, signal),
  searchAll: async (project, request, { signal }) =>
    (await import("./search/all.ts")).searchAll(project, request, signal),
  chunk: async (project, request) => (await import("./search/chunk.ts")).showChunk(project, request),
  sessions: async (project, request) => {
    const { listSessionsOf } = await import("./sessions/conversations.ts");
    return withMemory(project, (memory) => listSessionsOf(memory, request));
  },
  session: async (project, request) => {
    const { showSession } = await import("./sessions/conversations.ts");
    return withMemory(project, (memory) => showSession(memory, request, project.root));
  },
  handoff: async (project, { id }) => {
    const { handoffOf } = await import("./sessions/handoff.ts");
    return withMemory(project, (memory) => handoffOf(memory, id));
  },
  turns: async (project, request) => {
    const [{ readTurns }, { projectRoots }] = await Promise.all([
      import("./sessions/read-turns.ts"),
      import("../git/projects/roots.ts"),
    ]);
    const roots = await projectRoots(project.root);
    return withMemory(project, (memory) => readTurns(memory, request, roots));
  },
  digest: async (project, request) => {
    const { digestOf } = await import("./digest.ts");
    return withMemory(project, (memory) => digestOf(project, memory, request));
  },
  annotations: async (project, request) => {
    const { listAnnotationsOf } = await import("./sessions/conversations.ts");
    return withMemory(project, (memory) => listAnnotationsOf(memory, request));
  },
  annotate: async (project, request) => (await import("./sessions/notes.ts")).writeNote(project, request),
  editNote: async (project, request) => (await import("./sessions/notes.ts")).changeNote(project, request),
  decisions: async (project, { q = "", file: files = [], limit = listed, ...when }) => {
    const { decisionsIn } = await import("./sessions/conversations-decisions.ts");
    const { config } = loadConfig(project);
    const request = { ...when, query: q.trim(), files, limit };
    return withMemory(project, (memory) => decisionsIn(project, memory, request, config));
  },
  packages: async (project, request) => (await import("./search/packages.ts")).listPackages(project, request),
  impact: async (project, request, { signal }) =>
    (await import("./search/impact.ts")).impactOf(project, request, signal),
  related: async (project, { q = "", file, limit = listed }) => {
    const related = await import("./sessions/conversations-related.ts");
    const { changedFiles, codeAround, literalGlob, relatedIn } = related;
    const { config } = loadConfig(project);
    const query = q.trim();
    const files = file ?? (query === "" ? (await changedFiles(project)).map(literalGlob) : null);
    const request = { files, query, limit };
    const found = await withMemory(project, (memory) => relatedIn(project, memory, request, config));
    return { ...found, code: await codeAround(project, files ?? []) };
  },
  why: async (project, { file, rev: revision, brief, ...range }, { signal }) => {
    const [{ whyLines }, { lineRange, locate }] = await Promise.all([
      import("./why/why.ts"),
      import("./blame/file-place.ts"),
    ]);
    const lines = lineRange(range.first_line, range.last_line ?? range.first_line);
    const request = { file: locate(project, project.root, file), lines, revision, brief };
    return withMemoryOrNote(project, (memory) => whyLines(project, memory, request, signal));
  },
  blame: async (project, { file, first_line, last_line, lines, rev: revision, texts }, { signal }) => {
    const [{ blameFile }, { lineRange, locate, parseLines }] = await Promise.all([
      import("./blame/blame.ts"),
      import("./blame/file-place.ts"),
    ]);
    const isWhole = first_line === undefined && last_line === undefined;
    const one = isWhole ? [] : [lineRange(first_line ?? 1, last_line ?? Number.POSITIVE_INFINITY)];
    const ranges = lines?.map(parseLines) ?? one;
    const request = { file: locate(project, project.root, file), ranges, revision, texts };
    return withMemoryOrNote(project, (memory) => blameFile(project, memory, request, signal));
  },
  how: async (project, { q, limit = listedCommands }) => {
    const { howTo } = await import("./commands/how.ts");
    return withMemory(project, (memory) => howTo(memory, { q, limit }));
  },
  fix: async (project, { error, limit = listedCommands }) => {
    const [{ fixesOf }, { projectRoots }] = await Promise.all([
      import("./commands/fix.ts"),
      import("../git/projects/roots.ts"),
    ]);
    const roots = await projectRoots(project.root);
    return withMemory(project, (memory) => fixesOf(roots, memory, { error, limit }));
  },
  lostText: async (project, { file, limit = listedCommands }, { signal }) => {
    const [{ lostTextOf }, { projectRoots }, { locate }] = await Promise.all([
      import("./commands/lost-text.ts"),
      import("../git/projects/roots.ts"),
      import("./blame/file-place.ts"),
    ]);
    const roots = await projectRoots(project.root);
    const path = locate(project, project.root, file);
    return withMemory(project, (memory) => lostTextOf(memory, roots, { file: path, limit, signal }));
  },
  stats: async (project, { path: paths, ...request }, { signal }) => {
    const { statsOf } = await import("./status/stats.ts");
    return withMemoryOrNote(project, (memory) => statsOf(project, memory, { ...request, paths }, signal));
  },
  checkpoints: async (project, request) => {
    const { listCheckpointsOf } = await import("./checkpoints/checkpoints.ts");
    return withMemory(project, (memory) => listCheckpointsOf(memory, request, project.root));
  },
  checkpoint: async (project, { id }) => {
    const { showCheckpoint } = await import("./checkpoints/checkpoints.ts");
    return withMemory(project, (memory) => showCheckpoint(project, memory, id));
  },
  compare: async (project, { from, to = "HEAD" }) => {
    const { diffCheckpoints } = await import("./checkpoints/checkpoints-diff.ts");
    return withMemory(project, (memory) => diffCheckpoints(project, memory, { from, to }));
  },
  directory: async (project, request, { signal }) => {
    const { directoryOf } = await import("./files.ts");
    return withMemoryOrNote(project, (memory) => directoryOf(project, memory, request, signal));
  },
  files: async (project, request, { signal }) =>
    (await import("./files.ts")).findFiles(project, request, signal),
  review: async (project, request, { signal }) => {
    const { review } = await import("./review/review.ts");
    return withMemoryOrNote(project, (memory) => review(project, memory, request, signal));
  },
  rewindPreview: async (project, { target, patch }) => {
    const { rewindTo } = await import("./checkpoints/rewind.ts");
    return withMemoryOrNote(project, (memory) => rewindTo(project, memory, { target, patch }));
  },
  events: async (project, request) => {
    const { listEvents } = await import("./events.ts");
    return withMemory(project, (memory) => listEvents(memory, request));
  },
  event: async (project, { event }) => {
    const { showEvent } = await import("./events.ts");
    return showEvent(project, event);
  },
  createEvent: async (project, request) => (await import("./events.ts")).addEvent(project, request),
  linkEvent: async (project, request) => (await import("./events.ts")).changeLinks(project, request),
  closeEvent: async (project, { event, status }) =>
    (await import("./events.ts")).closeEvent(project, event, status),
  redactions: async (project) => {
    const { countSecrets } = await import("../store/memory/privacy/secrets.ts");
    return withMemory(project, countSecrets);
  },
  forget: async (project, request) =>
    (await import("./sessions/forget.ts")).forgetIn(project, request, change),
  scrub: async (project, _, how) => {
    const [{ rescrubMemory }, { scrubQuestions }] = await Promise.all([
      import("../sessions/scrub/rescrub.ts"),
      import("./audit.ts"),
    ]);
    const { isLogEmpty, ...done } = await change(project, async (work) => {
      await scrubQuestions(project, work.scrubber);
      return rescrubMemory(work, how);
    });
    return { queued: false, ...done, log_emptied: isLogEmpty };
  },
  retry: async (project, { ids, drop }) => {
    const { removeDead, retryDead } = await import("../store/memory/jobs/jobs.ts");
    const ofJobs = drop ? removeDead : retryDead;
    return { jobs: await change(project, ({ memory }) => ofJobs(memory, ids ?? "all")) };
  },
  index: async (project, { paths = [] }, how) => {
    const { reindex } = await import("./search/reindex.ts");
    return { queued: false, pending: 0, done: await reindex(project, paths, how) };
  },
  status: async (project) => (await import("./status/status-of.ts")).statusOf(project),
  state: async (project) => (await import("./status/state.ts")).stateOf(project),
  queue: async (project) => (await import("./status/status-of.ts")).queueOf(project),
  page: async (project) => (await import("./status/page.ts")).describePage(project),
  statusline: async (project, request) => {
    const { statuslineOf } = await import("./status/page.ts");
    return withMemory(project, (memory) => statuslineOf(memory, request));
  },
  questions: async (project) => {
    const { questionsWorthAsking } = await import("./status/page.ts");
    const questions = await withMemoryIfAny(project, (memory) => questionsWorthAsking(project, memory));
    return { questions };
  },
  settings: async (project) => (await import("./status/settings.ts")).listSettings(project),
  changeSetting: async (project, request) =>
    (await import("./status/settings.ts")).changeSetting(project, request),
  context: async (project, request) => (await import("./context/context.ts")).contextFor(project, request),
  injections: async (project, { session, limit = listed }) => {
    const { injectedIn, missedIn } = await import("./context/injected.ts");
    return withMemory(project, (memory) => ({
      injections: injectedIn(memory, { session, limit }),
      missed: missedIn(memory),
    }));
  },
} satisfies { [R in RouteName]?: Operation<R> };

/** Loaded on first use: most operations only read. */
const change: typeof changing = async (...args) => (await import("./changing.ts")).changing(...args);

/** How an operation is run. */
export interface Running {
  /** Aborted when the answer is no longer wanted. */
  signal?: AbortSignal | undefined;
  /** Called where this process does work that takes long. `what`: which part of it, or more about how far it is. */
  onProgress?: ((done: number, total: number, what?: string) => void) | undefined;
  /** Called with what it has to say meanwhile. */
  onNote?: ((text: string) => void) | undefined;
}

export type Operation<R extends RouteName> = (
  project: Project,
  request: RequestOf<R>,
  how: Running,
) => Promise<ResponseOf<R>>;
export type OperationName = keyof typeof operations;

export const operationNames = Object.keys(operations) as OperationName[];

/** They give nothing of what is stored: no question for the audit log. */
const unaudited: ReadonlySet<RouteName> = new Set([
  ...(["annotate", "editNote", "forget", "scrub", "retry", "index"] as const),
  ...(["status", "state", "queue", "page", "statusline", "changeSetting"] as const),
]);

/** Those that ask all projects, and are about none. */
export const everywhere = {
  searchEverywhere: async (request) => (await import("./everywhere/everywhere.ts")).searchEverywhere(request),
  sessionsEverywhere: async (request) =>
    (await import("./everywhere/everywhere.ts")).sessionsEverywhere(request),
  eventsEverywhere: async (request) => (await import("./everywhere/everywhere.ts")).eventsEverywhere(request),
  digestEverywhere: async (request) => (await import("./everywhere/everywhere.ts")).digestEverywhere(request),
  projects: async () => (await import("./projects/describe-projects.ts")).describeProjects(),
  locateSession: async (request) => (await import("./everywhere/everywhere.ts")).locateSession(request),
} satisfies { [R in RouteName]?: (request: RequestOf<R>) => Promise<ResponseOf<R>> };

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

/** @throws PommelError as the operation, and the signal's reason once it is aborted */
export async function run<R extends RouteName>(
  project: Project,
  name: R,
  request: RequestOf<R>,
  how: Running = {},
): Promise<ResponseOf<R>> {
  how.signal?.throwIfAborted();
  const typed: { [N in RouteName]?: Operation<N> } = operations;
  const operation = typed[name];
  if (operation === undefined) throw new Error(`${name} is not run here`);
  const answer = () => operation(project, request, how);
  if (unaudited.has(name)) return answer();
  const recorded = () => audited(project, name, request, answer);
  return name === "context" ? throughDoor("hook", recorded) : recorded();
}

/** Default number of entries in a list. */
const listed = 10;
/** The same of commands, errors and lost texts, which are long. */
const listedCommands = 3;
