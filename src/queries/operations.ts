import { loadConfig } from "../project/config/config.ts";
import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { withMemory, withMemoryOrNote } from "../store/memory/with-memory.ts";
import { audited } from "./audit/audited.ts";

/**
 * Runs each operation of `protocol/routes.ts` on what is stored: in the daemon, and in any process if no daemon runs.
 * Each is loaded on first use. Operations on the daemon's own state are elsewhere.
 */
const operations = {
  search: async (project, request) => (await import("./search/code.ts")).searchInProcess(project, request),
  searchTranscripts: async (project, request, signal) =>
    (await import("./search/sessions.ts")).searchTranscriptsInProcess(project, request, signal),
  searchHistory: async (project, request, signal) =>
    (await import("./search/history.ts")).searchHistory(project, request, signal),
  searchAll: async (project, request, signal) =>
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
  turns: async (project, request) => {
    const [{ readTurns }, { projectRoots }] = await Promise.all([
      import("./sessions/read-turns.ts"),
      import("../git/projects/roots.ts"),
    ]);
    const roots = await projectRoots(project.root);
    return withMemory(project, (memory) => readTurns(memory, request, roots));
  },
  annotations: async (project, request) => {
    const { listAnnotationsOf } = await import("./sessions/conversations.ts");
    return withMemory(project, (memory) => listAnnotationsOf(memory, request));
  },
  decisions: async (project, { q = "", file: files = [], limit = listed, ...when }) => {
    const { decisionsIn } = await import("./sessions/conversations-decisions.ts");
    const { config } = loadConfig(project);
    const request = { ...when, query: q.trim(), files, limit };
    return withMemory(project, (memory) => decisionsIn(project, memory, request, config));
  },
  packages: async (project, request) => (await import("./search/packages.ts")).listPackages(project, request),
  impact: async (project, request, signal) =>
    (await import("./search/impact.ts")).impactOf(project, request, signal),
  related: async (project, { q = "", file, limit = listed }) => {
    const [{ changedFiles, literalGlob, relatedIn }, { codeAround }] = await Promise.all([
      import("./sessions/conversations-related.ts"),
      import("./sessions/related-code.ts"),
    ]);
    const { config } = loadConfig(project);
    const query = q.trim();
    const files = file ?? (query === "" ? (await changedFiles(project)).map(literalGlob) : null);
    const request = { files, query, limit };
    const found = await withMemory(project, (memory) => relatedIn(project, memory, request, config));
    return { ...found, code: await codeAround(project, files ?? []) };
  },
  why: async (project, { file, rev: revision, ...range }, signal) => {
    const [{ whyLines }, { lineRange, locate }] = await Promise.all([
      import("./why/why.ts"),
      import("./blame/file-place.ts"),
    ]);
    const lines = lineRange(range.first_line, range.last_line ?? range.first_line);
    const request = { file: locate(project, project.root, file), lines, revision };
    return withMemoryOrNote(project, (memory) => whyLines(project, memory, request, signal));
  },
  blame: async (project, { file, first_line, last_line, rev: revision, texts }, signal) => {
    const [{ blameFile }, { lineRange, locate }] = await Promise.all([
      import("./blame/blame.ts"),
      import("./blame/file-place.ts"),
    ]);
    const isWhole = first_line === undefined && last_line === undefined;
    const ranges = isWhole ? [] : [lineRange(first_line ?? 1, last_line ?? Number.POSITIVE_INFINITY)];
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
  lostText: async (project, { file, limit = listedCommands }, signal) => {
    const [{ lostTextOf }, { projectRoots }, { locate }] = await Promise.all([
      import("./commands/lost-text.ts"),
      import("../git/projects/roots.ts"),
      import("./blame/file-place.ts"),
    ]);
    const roots = await projectRoots(project.root);
    const path = locate(project, project.root, file);
    return withMemory(project, (memory) => lostTextOf(memory, roots, { file: path, limit, signal }));
  },
  stats: async (project, { path: paths, ...request }, signal) => {
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
  directory: async (project, { path = "" }, signal) => {
    const { directoryOf } = await import("./files/directory.ts");
    return withMemoryOrNote(project, (memory) => directoryOf(project, memory, path, signal));
  },
  files: async (project, request, signal) =>
    (await import("./files/find.ts")).findFiles(project, request, signal),
  review: async (project, request, signal) => {
    const { review } = await import("./review/review.ts");
    return withMemoryOrNote(project, (memory) => review(project, memory, request, signal));
  },
  rewindPreview: async (project, { target, patch }) => {
    const { rewindTo } = await import("./checkpoints/rewind.ts");
    return withMemoryOrNote(project, (memory) => rewindTo(project, memory, { target, patch }));
  },
  events: async (project, request) => {
    const { listEvents } = await import("./events/events.ts");
    return withMemory(project, (memory) => listEvents(memory, request));
  },
  event: async (project, { event }) => {
    const { showEvent } = await import("./events/events.ts");
    return withMemory(project, (memory) => showEvent(memory, event));
  },
  createEvent: async (project, { title = "", branch, description, sessions = [], checkpoints = [] }) => {
    const { addEvent } = await import("./events/events.ts");
    const named = { title: title.trim() || null, branch: branch ?? null, description };
    const event = await addEvent(project, { ...named, startsAt: null, endsAt: null, sessions, checkpoints });
    return { event };
  },
  linkEvent: async (project, { event: name, add = [], remove = [] }) => {
    const { changeLinks } = await import("./events/events.ts");
    await changeLinks(project, "link", name, add);
    const { event } = await changeLinks(project, "unlink", name, remove);
    return { event };
  },
  closeEvent: async (project, { event: name, status }) => {
    const { closeEvent } = await import("./events/events.ts");
    const { event } = await closeEvent(project, name, status);
    return { event };
  },
  redactions: async (project) => {
    const { countSecrets } = await import("../store/memory/privacy/secrets.ts");
    return withMemory(project, countSecrets);
  },
  settings: async (project) => (await import("./status/settings.ts")).listSettings(project),
  injections: async (project, { session, limit = listed }) => {
    const { injectedIn } = await import("./context/injected.ts");
    return withMemory(project, (memory) => ({ injections: injectedIn(memory, { session, limit }) }));
  },
} satisfies { [R in RouteName]?: Operation<R> };

export type Operation<R extends RouteName> = (
  project: Project,
  request: RequestOf<R>,
  /** Aborted when the answer is no longer wanted. */
  signal?: AbortSignal,
) => Promise<ResponseOf<R>>;
export type OperationName = keyof typeof operations;

export const operationNames = Object.keys(operations) as OperationName[];

/** @throws PommelError as the operation, and the signal's reason once it is aborted */
export async function answerFromStore<R extends OperationName>(
  project: Project,
  name: R,
  request: RequestOf<R>,
  signal?: AbortSignal,
): Promise<ResponseOf<R>> {
  signal?.throwIfAborted();
  const typed: { [N in OperationName]: Operation<N> } = operations;
  return audited(project, name, request, () => typed[name](project, request, signal));
}

/** Default number of entries in a list. */
const listed = 10;
/** The same of commands, errors and lost texts, which are long. */
const listedCommands = 3;
