import * as z from "zod/mini";
import { endpoints, type RouteName } from "./endpoints.ts";
import * as lines from "./operations/blame.ts";
import * as checkpoints from "./operations/checkpoints.ts";
import * as commands from "./operations/commands.ts";
import * as context from "./operations/context.ts";
import * as daemon from "./operations/daemon.ts";
import * as decisions from "./operations/decisions.ts";
import * as events from "./operations/events.ts";
import * as everywhere from "./operations/everywhere.ts";
import * as files from "./operations/files.ts";
import { impactAnswer, impactRequest } from "./operations/graph.ts";
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

/** Every operation. */
export const routes = {
  search: {
    ...endpoints.search,
    summary: "Find code by meaning, words and names",
    request: search.searchRequest,
    response: search.searchResponse,
  },
  searchTranscripts: {
    ...endpoints.searchTranscripts,
    summary: "Find what was said in past sessions",
    request: search.transcriptSearchRequest,
    response: search.transcriptSearchResponse,
  },
  searchHistory: {
    ...endpoints.searchHistory,
    summary: "Find commits and events",
    request: search.historySearchRequest,
    response: search.historySearchResponse,
  },
  searchAll: {
    ...endpoints.searchAll,
    summary: "Find code, sessions, commits and events",
    request: search.searchAllRequest,
    response: search.searchAllResponse,
  },
  searchEverywhere: {
    ...endpoints.searchEverywhere,
    summary: "Search all projects",
    request: everywhere.searchEverywhereRequest,
    response: everywhere.searchEverywhereResponse,
  },
  sessionsEverywhere: {
    ...endpoints.sessionsEverywhere,
    summary: "List sessions of all projects, the latest first",
    request: everywhere.sessionsEverywhereRequest,
    response: everywhere.sessionsEverywhereResponse,
  },
  eventsEverywhere: {
    ...endpoints.eventsEverywhere,
    summary: "List events of all projects",
    request: everywhere.eventsEverywhereRequest,
    response: everywhere.eventsEverywhereResponse,
  },
  digestEverywhere: {
    ...endpoints.digestEverywhere,
    summary: "Sum up what happened lately in all projects",
    request: everywhere.digestEverywhereRequest,
    response: everywhere.digestEverywhereResponse,
  },
  locateSession: {
    ...endpoints.locateSession,
    summary: "Find the other project that stores a session",
    request: everywhere.locateSessionRequest,
    response: everywhere.locateSessionResponse,
  },
  chunk: {
    ...endpoints.chunk,
    summary: "Show a chunk of code with what it lies in and what lies in it",
    request: files.chunkRequest,
    response: files.chunkAnswer,
  },
  index: {
    ...endpoints.index,
    summary: "Index files again",
    request: daemon.indexRequest,
    response: daemon.indexResponse,
  },
  indexTranscript: {
    ...endpoints.indexTranscript,
    summary: "Import a session",
    request: sessions.indexTranscriptRequest,
    response: sessions.indexTranscriptResponse,
  },
  annotate: {
    ...endpoints.annotate,
    summary: "Write a note",
    request: sessions.annotateRequest,
    response: sessions.annotateResponse,
  },
  sessionStart: {
    ...endpoints.sessionStart,
    summary: "Register a session that begins",
    request: sessions.sessionStartRequest,
    response: sessions.sessionStartResponse,
  },
  sessions: {
    ...endpoints.sessions,
    summary: "List sessions, the latest first",
    request: sessions.sessionsRequest,
    response: sessions.sessionsResponse,
  },
  session: {
    ...endpoints.session,
    summary: "Show a session, or one of its turns in full",
    request: sessions.sessionRequest,
    response: sessions.sessionResponse,
  },
  handoff: {
    ...endpoints.handoff,
    summary: "Write what another agent needs to go on with a session",
    request: sessions.handoffRequest,
    response: sessions.handoffResponse,
  },
  turns: {
    ...endpoints.turns,
    summary: "Read a session's turns, some at a time",
    request: sessions.turnsRequest,
    response: sessions.turnsResponse,
  },
  digest: {
    ...endpoints.digest,
    summary: "Sum up what happened lately: sessions, commits, decisions, open ends, tokens",
    request: stats.digestRequest,
    response: stats.digestAnswer,
  },
  annotations: {
    ...endpoints.annotations,
    summary: "List notes, the latest first",
    request: sessions.annotationsRequest,
    response: sessions.annotationsResponse,
  },
  editNote: {
    ...endpoints.editNote,
    summary: "Replace a note by another text",
    request: sessions.editNoteRequest,
    response: sessions.editNoteResponse,
  },
  decisions: {
    ...endpoints.decisions,
    summary: "List decisions and notes, the latest first, or the best for a question",
    request: decisions.decisionsRequest,
    response: decisions.decisionsAnswer,
  },
  packages: {
    ...endpoints.packages,
    summary: "List the packages of a repository that has several",
    request: files.packagesRequest,
    response: files.packagesAnswer,
  },
  impact: {
    ...endpoints.impact,
    summary: "List what a change may touch, tests first",
    request: impactRequest,
    response: impactAnswer,
  },
  related: {
    ...endpoints.related,
    summary: "Find sessions that touched files, and what was decided about them",
    request: decisions.relatedRequest,
    response: decisions.relatedAnswer,
  },
  why: {
    ...endpoints.why,
    summary: "Explain why lines exist",
    request: lines.whyRequest,
    response: lines.whyAnswer,
  },
  blame: {
    ...endpoints.blame,
    summary: "Show who wrote each line of a file: which agent and session, or which person",
    request: lines.blameRequest,
    response: lines.blameAnswer,
  },
  how: {
    ...endpoints.how,
    summary: "Find the command lines that worked here for something",
    request: commands.howRequest,
    response: commands.howAnswer,
  },
  fix: {
    ...endpoints.fix,
    summary: "Find an error that was met before, and what fixed it",
    request: commands.fixRequest,
    response: commands.fixAnswer,
  },
  lostText: {
    ...endpoints.lostText,
    summary: "Show text of a file that agents wrote or removed and that no commit holds",
    request: commands.lostTextRequest,
    response: commands.lostTextAnswer,
  },
  stats: {
    ...endpoints.stats,
    summary: "Count the lines that agents and people committed",
    request: stats.statsRequest,
    response: stats.statsAnswer,
  },
  checkpoints: {
    ...endpoints.checkpoints,
    summary: "List the commits that sessions produced, the latest first",
    request: checkpoints.checkpointsRequest,
    response: checkpoints.checkpointsAnswer,
  },
  checkpoint: {
    ...endpoints.checkpoint,
    summary: "Show a checkpoint: its commit, sessions, turns and files",
    request: checkpoints.checkpointRequest,
    response: checkpoints.checkpointAnswer,
  },
  compare: {
    ...endpoints.compare,
    summary: "Compare two checkpoints or commits, with the sessions between them",
    request: checkpoints.diffRequest,
    response: checkpoints.diffAnswer,
  },
  directory: {
    ...endpoints.directory,
    summary: "List a directory with who wrote what lies in it, and what changed it last",
    request: files.directoryRequest,
    response: files.directoryAnswer,
  },
  files: {
    ...endpoints.files,
    summary: "Find files by letters of their paths",
    request: files.filesRequest,
    response: files.filesAnswer,
  },
  review: {
    ...endpoints.review,
    summary: "Show a change line by line: who wrote it, and for which prompt",
    request: reviewRequest,
    response: reviewAnswer,
  },
  rewindPreview: {
    ...endpoints.rewindPreview,
    summary: "Show what going back to a checkpoint or commit would change",
    request: checkpoints.rewindRequest,
    response: checkpoints.rewindAnswer,
  },
  events: {
    ...endpoints.events,
    summary: "List events: named groups of sessions and checkpoints",
    request: events.eventsRequest,
    response: events.eventsAnswer,
  },
  event: {
    ...endpoints.event,
    summary: "Show an event with its sessions and checkpoints",
    request: events.eventRequest,
    response: events.eventAnswer,
  },
  createEvent: {
    ...endpoints.createEvent,
    summary: "Create an event",
    request: events.createEventRequest,
    response: events.createdEvent,
  },
  linkEvent: {
    ...endpoints.linkEvent,
    summary: "Add sessions and checkpoints to an event, or remove them",
    request: events.linkEventRequest,
    response: events.linkedEvent,
  },
  closeEvent: {
    ...endpoints.closeEvent,
    summary: "Close, archive or reopen an event",
    request: events.closeEventRequest,
    response: events.closedEvent,
  },
  injections: {
    ...endpoints.injections,
    summary: "List the automatic context that agents were given, the latest first",
    request: context.injectionsRequest,
    response: context.injectionsResponse,
  },
  page: {
    ...endpoints.page,
    summary: "Show what the local page needs to know of the project",
    request: empty,
    response: daemon.pageResponse,
  },
  statusline: {
    ...endpoints.statusline,
    summary: "Show what a status line says of a project and a session",
    request: status.statuslineRequest,
    response: status.statuslineAnswer,
  },
  questions: {
    ...endpoints.questions,
    summary: "Suggest questions that the project's own sessions and code answer",
    request: empty,
    response: status.questionsResponse,
  },
  pageCode: {
    ...endpoints.pageCode,
    summary: "Get a code that opens the local page once; for pm open",
    request: empty,
    response: daemon.pageCodeResponse,
  },
  context: {
    ...endpoints.context,
    summary: "Get the memory that matters at this moment of a session",
    request: context.contextRequest,
    response: context.contextResponse,
  },
  status: {
    ...endpoints.status,
    summary: "Show the state of the index, the memory and the daemon",
    request: empty,
    response: status.statusResponse,
  },
  state: {
    ...endpoints.state,
    summary: "Tell whether anything was written since",
    request: empty,
    response: files.stateResponse,
  },
  queue: {
    ...endpoints.queue,
    summary: "Show pending and failed jobs",
    request: empty,
    response: status.queueResponse,
  },
  retry: {
    ...endpoints.retry,
    summary: "Retry or discard failed jobs",
    request: status.retryRequest,
    response: status.retryResponse,
  },
  redactions: {
    ...endpoints.redactions,
    summary: "Count the secrets that were replaced in what is stored, by kind",
    request: empty,
    response: sessions.redactionsResponse,
  },
  forget: {
    ...endpoints.forget,
    summary: "Forget sessions, or show what would be forgotten",
    request: sessions.forgetRequest,
    response: sessions.forgetResponse,
  },
  scrub: {
    ...endpoints.scrub,
    summary: "Scrub the memory again with the patterns of now",
    request: daemon.rescrubRequest,
    response: daemon.rescrubResponse,
  },
  command: {
    ...endpoints.command,
    summary: "Run a command of pm that only reads; for pm itself",
    request: daemon.commandRequest,
    response: daemon.commandResponse,
  },
  spool: {
    ...endpoints.spool,
    summary: "Read what hooks left; for hooks",
    request: empty,
    response: daemon.spoolResponse,
  },
  doctor: {
    ...endpoints.doctor,
    summary: "Check this machine and project, with a fix for each problem",
    request: empty,
    response: daemon.doctorResponse,
  },
  log: {
    ...endpoints.log,
    summary: "Show the last entries of the daemon's log",
    request: daemon.logRequest,
    response: daemon.logResponse,
  },
  settings: {
    ...endpoints.settings,
    summary: "List every setting with its value and where it comes from",
    request: empty,
    response: daemon.settingsResponse,
  },
  changeSetting: {
    ...endpoints.changeSetting,
    summary: "Change a setting of the project; for the page, which may change only harmless ones",
    request: daemon.changeSettingRequest,
    response: daemon.changeSettingResponse,
  },
  reloadSettings: {
    ...endpoints.reloadSettings,
    summary: "Apply changed settings",
    request: empty,
    response: daemon.reloadResponse,
  },
  daemon: {
    ...endpoints.daemon,
    summary: "Show the daemon itself and the checkouts in use",
    request: empty,
    response: daemon.daemonResponse,
  },
  projects: {
    ...endpoints.projects,
    summary: "List projects with their checkouts",
    request: empty,
    response: daemon.projectsResponse,
  },
  shutdown: {
    ...endpoints.shutdown,
    summary: "Stop the daemon",
    request: empty,
    response: daemon.shutdownResponse,
  },
} satisfies Record<RouteName, Route>;

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

/** A field of a request, for readers of text: a query string, a command line. */
export interface Field {
  /** Its purpose; "" if undocumented. */
  about: string;
  type: "text" | "number" | "flag";
  isList: boolean;
  /**
   * For a list: whether its values contain no comma, so that commas may separate them. Paths and globs may contain one.
   */
  isSplit: boolean;
  /** Of an enumeration. */
  values: string[] | null;
  minimum: number | undefined;
  maximum: number | undefined;
}

const known = new Map<RouteName, Readonly<Record<string, Field>>>();

/** The fields of a route's request. Read from the schema itself: JSON Schema would cost a command's start 5 ms. */
export function fieldsOf(route: RouteName): Readonly<Record<string, Field>> {
  const shape: Record<string, z.core.$ZodType> = routes[route].request().shape;
  const fields =
    known.get(route) ??
    Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, fieldOf(schema)]));
  known.set(route, fields);
  return fields;
}

function fieldOf(schema: z.core.$ZodType): Field {
  const given = schema instanceof z.core.$ZodOptional ? schema._zod.def.innerType : schema;
  const isList = given instanceof z.core.$ZodArray;
  const value = isList ? given._zod.def.element : given;
  const isEnum = value instanceof z.core.$ZodEnum;
  const bound = (check: string) =>
    given._zod.def.checks
      ?.map(({ _zod }) => _zod.def as { check: string; value?: number })
      .find((def) => def.check === check)?.value;
  return {
    about: z.globalRegistry.get(given)?.description ?? "",
    type:
      value instanceof z.core.$ZodNumber ? "number" : value instanceof z.core.$ZodBoolean ? "flag" : "text",
    isList,
    isSplit: isList && (isEnum || z.globalRegistry.get(value)?.format === "name"),
    values: isEnum ? Object.values(value._zod.def.entries).map(String) : null,
    minimum: bound("greater_than"),
    maximum: bound("less_than"),
  };
}

/**
 * The request that a query string asks for. Lists may be repeated or, where their values can hold no comma, comma separated.
 * @returns what the route's schema judges; values that make no sense are left in for it to refuse
 */
export function requestFromUrl(route: RouteName, parameters: URLSearchParams): Record<string, unknown> {
  const fields = fieldsOf(route);
  const read = (name: string): unknown => {
    const given = parameters.getAll(name);
    const [first = ""] = given;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.isList) {
      return given
        .flatMap((value) => (field.isSplit ? value.split(",") : value))
        .filter((value) => value !== "");
    }
    if (field?.type === "number") return Number(first || Number.NaN);
    return field?.type === "flag" ? !["0", "false"].includes(first) : first;
  };
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, read(name)]));
}
