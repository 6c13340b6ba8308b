import { isAbsolute } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { agentNamed, agents, defaultAgent, recognise } from "../../agents/registry.ts";
import { branchAtHand } from "../../git/history/head.ts";
import { belongsTo } from "../../git/projects/roots.ts";
import { whyNoModelScrubs } from "../../models/generate/registry.ts";
import type { Config } from "../../project/config/settings.ts";
import { PommelError } from "../../project/errors.ts";
import type { RouteName } from "../../protocol/endpoints.ts";
import type { TranscriptSearchRequest, TranscriptSearchResponse } from "../../protocol/operations/search.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { answerContext } from "../../queries/context/answer.ts";
import type { Injection } from "../../queries/context/quote.ts";
import { annotationOf, answerTranscriptSearch } from "../../queries/sessions/conversations.ts";
import { forgetNow, previewForget } from "../../sessions/forget/forget.ts";
import { findAnnotation } from "../../sessions/forget/forget-target.ts";
import { addNote, editNote } from "../../sessions/notes/add-note.ts";
import { removeDead, retryDead } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSession, saveSession, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { priority } from "../jobs/conversation-requests.ts";
import type { MemoryWork } from "../jobs/memory-work.ts";
import type { Handlers } from "./server.ts";

type MemoryRoute = Extract<
  RouteName,
  | "searchTranscripts"
  | "indexTranscript"
  | "annotate"
  | "editNote"
  | "sessionStart"
  | "context"
  | "retry"
  | "forget"
  | "scrub"
>;

interface HandlersOptions {
  root: string;
  work: MemoryWork;
  config: Config;
  roots: () => readonly string[];
  /** Where the code is that a prompt names. Never fails. */
  namedCode: (prompt: string) => Promise<Injection[]>;
}

/** The routes about sessions that need the daemon. A memory that cannot be opened answers with what is wrong with it. */
export function createMemoryHandlers(options: HandlersOptions): Pick<Handlers, MemoryRoute> {
  const { work, config } = options;
  const guarded =
    <R, A>(answer: (request: R, signal?: AbortSignal) => A | Promise<A>) =>
    async (request: R, signal?: AbortSignal): Promise<A> => {
      try {
        return await answer(request, signal);
      } catch (error) {
        work.suspect(error);
        throw error;
      }
    };
  return {
    searchTranscripts: guarded((request, signal) => searchTranscripts(work, request, config, signal)),
    indexTranscript: guarded((request) => indexTranscript(options, request)),
    annotate: guarded((request) => annotate(options, request)),
    editNote: guarded(async ({ id, note }) => {
      const known = findAnnotation(work.memory, id);
      return { annotation: annotationOf(await work.alone(() => editNote(work.work(), known, note))) };
    }),
    sessionStart: guarded((request) => startSession(options, request)),
    context: guarded((request) => context(options, request)),
    retry: guarded(({ ids, drop }) => {
      const change = drop ? removeDead : retryDead;
      const jobs = change(work.memory, ids ?? "all");
      work.wake();
      return { jobs };
    }),
    forget: guarded(async ({ dry_run: isPreview = false, ...asked }) => {
      const report = isPreview
        ? await previewForget(work.memory, asked)
        : await work.alone(() => forgetNow(work.work(), asked));
      const { sessions, turns, chunks, annotations, matches, examples } = report;
      return { sessions, turns, chunks, annotations, matches, examples, forgotten: !isPreview };
    }),
    scrub: guarded(({ llm: withModel = false }) => {
      if (!withModel) {
        work.scrub();
        return { queued: true };
      }
      const problem = whyNoModelScrubs(config);
      if (problem !== null)
        throw new PommelError(
          "usage",
          `No language model looks for secrets: ${problem}.`,
          "Set scrub.llm to true, and llm.model to a model on this machine; see docs/privacy.md.",
        );
      const sessions = work.scrubOldLines();
      return { queued: sessions > 0, sessions };
    }),
  };
}

function searchTranscripts(
  work: MemoryWork,
  request: TranscriptSearchRequest,
  config: Config,
  signal?: AbortSignal,
): Promise<TranscriptSearchResponse> {
  return answerTranscriptSearch(work.search, work.memory, request, config, work.pending(), signal);
}

/** The automatic context for an agent, from what is stored now. */
async function context(
  { root, work, config, roots, namedCode }: HandlersOptions,
  request: RequestOf<"context">,
): Promise<ResponseOf<"context">> {
  const origin = await originOf(work.memory, request);
  return answerContext(
    {
      root,
      worktrees: roots().filter((one) => one !== root),
      memory: work.memory,
      config,
      search: (query) => work.search.search(query),
      namedCode,
      origin,
      branch: () => branchAtHand(request.cwd ?? root),
      now: Date.now(),
      until: null,
    },
    request,
  );
}

/** The origin of a new session, by its transcript, which is imported only after the hooks' request. */
async function originOf(
  memory: Memory,
  { session_id: uid, transcript_path: path }: RequestOf<"context">,
): Promise<string | null> {
  if (path === undefined || !isAbsolute(path)) return null;
  const session = sessionByUid(memory, uid);
  if (session !== null && turnsOf(memory, session.id, { first: 1, last: 1 }).length > 0) return null;
  return (await recognise(path))?.info.forkedFrom ?? null;
}

async function indexTranscript(
  { work, roots }: HandlersOptions,
  request: RequestOf<"indexTranscript">,
): Promise<{ queued: boolean; reason: string | null; pending: number }> {
  const { memory } = work;
  const refused = (reason: string) => ({ queued: false, reason, pending: work.pending() });
  if (!work.captures) return refused("The setting sessions.capture is false.");
  const paths = pathsIn(work, request);
  const agent = await agentOf(request, paths);
  if (paths.length === 0) return refused("No transcript of that session found.");
  const [only] = paths;
  if (only !== undefined && paths.length === 1 && !request.all_projects) {
    const info = await agent.describe(only).catch(() => null);
    if (info !== null && !belongsTo(roots(), info.cwd)) {
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

async function annotate(
  { work }: HandlersOptions,
  { note, session_id: session, transcript_path: path, branch, by_agent: byAgent }: RequestOf<"annotate">,
) {
  const found = path === undefined ? null : await recognise(path);
  const sessionUid = session ?? found?.info.session ?? null;
  const by = found && { agent: found.agent.name };
  const asked = { note, sessionUid, branch: branch ?? null, byAgent, ...by };
  const added = await work.alone(() => addNote(work.work(), asked));
  const queued = work.captures && path !== undefined && isAbsolute(path);
  if (queued) work.readOn(path, { ...by });
  return { annotation: annotationOf(added), queued };
}

function startSession(
  { work, roots }: HandlersOptions,
  { session_id: uid, cwd, agent: name = defaultAgent.name }: RequestOf<"sessionStart">,
): { registered: boolean } {
  const { memory } = work;
  const agent = agentCalled(name);
  const isOurs = cwd === undefined || belongsTo(roots(), cwd);
  if (!work.captures || !isOurs || isForgotten(memory, uid)) return { registered: false };
  // A known session's transcript has better data; some clients send the origin's id when a fork begins.
  if (sessionByUid(memory, uid) === null) {
    saveSession(memory, { uid, agent: agent.name, cwd: cwd ?? "", startedAt: Date.now() });
  }
  return { registered: true };
}
