import * as z from "zod/mini";
import { endpoints, type RouteName } from "./endpoints.ts";
import * as lines from "./operations/blame.ts";
import * as checkpoints from "./operations/checkpoints.ts";
import * as commands from "./operations/commands.ts";
import * as context from "./operations/context.ts";
import * as daemon from "./operations/daemon.ts";
import * as events from "./operations/events.ts";
import * as everywhere from "./operations/everywhere.ts";
import * as files from "./operations/files.ts";
import { impactAnswer, impactRequest } from "./operations/graph.ts";
import * as memory from "./operations/memory.ts";
import { reviewAnswer, reviewRequest } from "./operations/review.ts";
import * as search from "./operations/search.ts";
import * as sessions from "./operations/sessions.ts";
import * as stats from "./operations/stats.ts";
import * as status from "./operations/status.ts";
import { lazy } from "./shape-parts.ts";

/**
 * The HTTP contract: every route with the shape of its request and its response. The daemon and its clients
 * both import it from here; docs/http.md describes it. Both sides ignore unknown fields, so that a newer side may add
 * some.
 */

/** Larger request bodies are refused. Bytes. */
export const largestBody = 1_048_576;

/** The body of every response that is not 2xx. */
const errorBody = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
  }),
);

const empty = lazy(() => z.object({}));

/** An operation as served: its address, purpose, request and response. */
export interface Route {
  method: "GET" | "POST";
  path: string;
  /** One line, for people who read the contract. */
  summary: string;
  request: () => z.ZodMiniObject;
  response: () => z.ZodMiniObject;
}

const route = <Q extends z.ZodMiniObject, S extends z.ZodMiniObject>(
  summary: string,
  request: () => Q,
  response: () => S,
) => ({ summary, request, response });

const shapes = {
  search: route("Find code by meaning, words and names", search.searchRequest, search.searchResponse),
  searchTranscripts: route(
    "Find what was said in past sessions",
    search.transcriptSearchRequest,
    search.transcriptSearchResponse,
  ),
  searchHistory: route("Find commits and events", search.historySearchRequest, search.historySearchResponse),
  searchAll: route(
    "Find code, sessions, commits and events",
    search.searchAllRequest,
    search.searchAllResponse,
  ),
  searchEverywhere: route(
    "Search all projects",
    everywhere.searchEverywhereRequest,
    everywhere.searchEverywhereResponse,
  ),
  sessionsEverywhere: route(
    "List sessions of all projects, the latest first",
    everywhere.sessionsEverywhereRequest,
    everywhere.sessionsEverywhereResponse,
  ),
  eventsEverywhere: route(
    "List events of all projects",
    everywhere.eventsEverywhereRequest,
    everywhere.eventsEverywhereResponse,
  ),
  digestEverywhere: route(
    "Sum up what happened lately in all projects",
    everywhere.digestEverywhereRequest,
    everywhere.digestEverywhereResponse,
  ),
  locateSession: route(
    "Find the other project that stores a session",
    everywhere.locateSessionRequest,
    everywhere.locateSessionResponse,
  ),
  chunk: route(
    "Show a chunk of code with what it lies in and what lies in it",
    files.chunkRequest,
    files.chunkAnswer,
  ),
  index: route("Index files again", daemon.indexRequest, daemon.indexResponse),
  indexTranscript: route(
    "Import a session",
    sessions.indexTranscriptRequest,
    sessions.indexTranscriptResponse,
  ),
  annotate: route("Write a note", memory.annotateRequest, memory.annotateResponse),
  sessionStart: route(
    "Register a session that begins",
    sessions.sessionStartRequest,
    sessions.sessionStartResponse,
  ),
  sessions: route("List sessions, the latest first", sessions.sessionsRequest, sessions.sessionsResponse),
  session: route(
    "Show a session, or one of its turns in full",
    sessions.sessionRequest,
    sessions.sessionResponse,
  ),
  handoff: route(
    "Write what another agent needs to go on with a session",
    sessions.handoffRequest,
    sessions.handoffResponse,
  ),
  turns: route("Read a session's turns, some at a time", sessions.turnsRequest, sessions.turnsResponse),
  digest: route(
    "Sum up what happened lately: sessions, commits, decisions, open ends, tokens",
    stats.digestRequest,
    stats.digestAnswer,
  ),
  annotations: route("List notes, the latest first", memory.annotationsRequest, memory.annotationsResponse),
  editNote: route("Replace a note by another text", memory.editNoteRequest, memory.editNoteResponse),
  decisions: route(
    "List decisions and notes, the latest first, or the best for a question",
    memory.decisionsRequest,
    memory.decisionsAnswer,
  ),
  packages: route(
    "List the packages of a repository that has several",
    files.packagesRequest,
    files.packagesAnswer,
  ),
  impact: route("List what a change may touch, tests first", impactRequest, impactAnswer),
  related: route(
    "Find sessions that touched files, and what was decided about them",
    memory.relatedRequest,
    memory.relatedAnswer,
  ),
  why: route("Explain why lines exist", lines.whyRequest, lines.whyAnswer),
  blame: route(
    "Show who wrote each line of a file: which agent and session, or which person",
    lines.blameRequest,
    lines.blameAnswer,
  ),
  how: route(
    "Find the command lines that worked here for something",
    commands.howRequest,
    commands.howAnswer,
  ),
  fix: route("Find an error that was met before, and what fixed it", commands.fixRequest, commands.fixAnswer),
  lostText: route(
    "Show text of a file that agents wrote or removed and that no commit holds",
    commands.lostTextRequest,
    commands.lostTextAnswer,
  ),
  stats: route("Count the lines that agents and people committed", stats.statsRequest, stats.statsAnswer),
  checkpoints: route(
    "List the commits that sessions produced, the latest first",
    checkpoints.checkpointsRequest,
    checkpoints.checkpointsAnswer,
  ),
  checkpoint: route(
    "Show a checkpoint: its commit, sessions, turns and files",
    checkpoints.checkpointRequest,
    checkpoints.checkpointAnswer,
  ),
  compare: route(
    "Compare two checkpoints or commits, with the sessions between them",
    checkpoints.diffRequest,
    checkpoints.diffAnswer,
  ),
  directory: route(
    "List a directory with who wrote what lies in it, and what changed it last",
    files.directoryRequest,
    files.directoryAnswer,
  ),
  files: route("Find files by letters of their paths", files.filesRequest, files.filesAnswer),
  review: route(
    "Show a change line by line: who wrote it, and for which prompt",
    reviewRequest,
    reviewAnswer,
  ),
  rewindPreview: route(
    "Show what going back to a checkpoint or commit would change",
    checkpoints.rewindRequest,
    checkpoints.rewindAnswer,
  ),
  events: route(
    "List events: named groups of sessions and checkpoints",
    events.eventsRequest,
    events.eventsAnswer,
  ),
  event: route("Show an event with its sessions and checkpoints", events.eventRequest, events.eventAnswer),
  createEvent: route("Create an event", events.createEventRequest, events.createdEvent),
  linkEvent: route(
    "Add sessions and checkpoints to an event, or remove them",
    events.linkEventRequest,
    events.linkedEvent,
  ),
  closeEvent: route("Close, archive or reopen an event", events.closeEventRequest, events.closedEvent),
  injections: route(
    "List the automatic context that agents were given, the latest first",
    context.injectionsRequest,
    context.injectionsResponse,
  ),
  page: route("Show what the local page needs to know of the project", empty, daemon.pageResponse),
  statusline: route(
    "Show what a status line says of a project and a session",
    status.statuslineRequest,
    status.statuslineAnswer,
  ),
  questions: route(
    "Suggest questions that the project's own sessions and code answer",
    empty,
    status.questionsResponse,
  ),
  pageCode: route("Get a code that opens the local page once; for pm open", empty, daemon.pageCodeResponse),
  browsers: route("List the browsers that are signed in to the local page", empty, daemon.browsersResponse),
  signOut: route(
    "Sign a browser out of the local page, or all of them",
    daemon.signOutRequest,
    daemon.signOutResponse,
  ),
  context: route(
    "Get the memory that matters at this moment of a session",
    context.contextRequest,
    context.contextResponse,
  ),
  status: route("Show the state of the index, the memory and the daemon", empty, status.statusResponse),
  state: route("Tell whether anything was written since", empty, files.stateResponse),
  queue: route("Show pending and failed jobs", empty, status.queueResponse),
  retry: route("Retry or discard failed jobs", status.retryRequest, status.retryResponse),
  redactions: route(
    "Count the secrets that were replaced in what is stored, by kind",
    empty,
    memory.redactionsResponse,
  ),
  forget: route(
    "Forget sessions, or show what would be forgotten",
    memory.forgetRequest,
    memory.forgetResponse,
  ),
  scrub: route(
    "Scrub the memory again with the patterns of now",
    daemon.rescrubRequest,
    daemon.rescrubResponse,
  ),
  command: route(
    "Run a command of pm that only reads; for pm itself",
    daemon.commandRequest,
    daemon.commandResponse,
  ),
  spool: route("Read what hooks left; for hooks", empty, daemon.spoolResponse),
  doctor: route("Check this machine and project, with a fix for each problem", empty, daemon.doctorResponse),
  log: route("Show the last entries of the daemon's log", daemon.logRequest, daemon.logResponse),
  settings: route(
    "List every setting with its value and where it comes from",
    empty,
    daemon.settingsResponse,
  ),
  changeSetting: route(
    "Change a setting of the project; for the page, which may change only harmless ones",
    daemon.changeSettingRequest,
    daemon.changeSettingResponse,
  ),
  reloadSettings: route("Apply changed settings", empty, daemon.reloadResponse),
  daemon: route("Show the daemon itself and the checkouts in use", empty, daemon.daemonResponse),
  projects: route("List projects with their checkouts", empty, daemon.projectsResponse),
  shutdown: route("Stop the daemon", empty, daemon.shutdownResponse),
} satisfies Record<RouteName, Omit<Route, "method" | "path">>;

/** Every operation. */
export const routes = Object.fromEntries(
  Object.entries(shapes).map(([name, shape]) => [name, { ...endpoints[name as RouteName], ...shape }]),
) as { [R in RouteName]: (typeof shapes)[R] & (typeof endpoints)[R] };

export type RequestOf<R extends RouteName> = z.infer<ReturnType<(typeof routes)[R]["request"]>>;
export type ResponseOf<R extends RouteName> = z.infer<ReturnType<(typeof routes)[R]["response"]>>;

/** The body of a 200, or null if it does not fit the route: another server answered. */
export function readResponse<R extends RouteName>(route: R, body: unknown): ResponseOf<R> | null {
  const parsed = z.safeParse(routes[route].response(), body);
  return parsed.success ? (parsed.data as ResponseOf<R>) : null;
}

/** The error in the body of any other response, or null if it is not from the daemon. */
export function readRefusal(body: unknown): { code: string; message: string; hint: string } | null {
  const parsed = z.safeParse(errorBody(), body);
  return parsed.success ? parsed.data.error : null;
}
