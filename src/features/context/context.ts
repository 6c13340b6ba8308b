import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { recognise } from "../../agents/registry.ts";
import { findOpenMemory, loadCurrentConfig, openIndex, withIndex, withMemory } from "../../answers/open.ts";
import { answerAbout } from "../../answers/run.ts";
import { openSessionSearch } from "../../answers/session-search.ts";
import { openCommitFates } from "../../attribution/commit-fates.ts";
import type { ContextKind } from "../../base/config/settings/session-settings.ts";
import { isInside, type Project } from "../../base/paths.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { readRecentChanges } from "../../git/history/file-changes.ts";
import { readCurrentBranch } from "../../git/history/head.ts";
import type { ContextEvent } from "../../protocol/values.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { readInjectedRefs, saveInjection } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTranscriptByPath } from "../../store/memory/sessions/transcripts.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { searchCode } from "../search/operation.ts";
import { toKeepInCompaction, toTellAfterCompaction, toTellAtStart } from "./at-start.ts";
import { checkToTell, toTellForEdit, toTellForRead, toTellOfLines } from "./for-edit.ts";
import { findFailureInjections, toTellOfRevert } from "./for-failure.ts";
import { toTellOfPast } from "./for-past.ts";
import { findPromptInjections } from "./for-prompt.ts";
import { findDefinitionsByName, findPlaceInjections } from "./for-search.ts";
import type { ContextRequest, ContextResponse } from "./operation.ts";
import { findNamedCode, minRelevance } from "./relevance.ts";
import type { SearchAsked } from "./search-asked.ts";
import { type ContextItem, type ContextSource, type FileHistory, frameQuotes } from "./source.ts";

/**
 * The automatic context for an agent at one moment of its session: usually nothing. What is injected is recorded, and
 * not injected into the same session again.
 * @throws PommelError what a search throws
 */
export async function answerContext(
  source: ContextSource,
  request: ContextRequest,
): Promise<ContextResponse> {
  const start = performance.now();
  const { memory } = source;
  const { session_id: sessionUid, within_ms: within = Number.POSITIVE_INFINITY, preview = false } = request;
  const measureTook = () => Math.round((performance.now() - start) * 10) / 10;
  const makeSilent = (reason: string): ContextResponse => ({
    text: null,
    reason,
    tokens: 0,
    took_ms: measureTook(),
    items: [],
  });
  if (within <= 0) return makeSilent("it timed out");
  // What an agent was told before its compaction, it was told in vain.
  const injected = isCompaction(request)
    ? new Set<string>()
    : new Set([...readInjectedRefs(memory, sessionUid), ...(request.told ?? [])]);
  const files = listRequestFiles(source, request).filter((file) => !injected.has(makeFileRef(file)));
  const found = await findItems(source, request, files);
  if (typeof found === "string") return makeSilent(found);
  const fresh = found.filter(({ ref }) => !injected.has(ref));
  const answer = frameQuotes(fresh, maxTokens);
  if (answer === null) {
    return makeSilent(found.length === 0 ? "no relevant memory" : "the session already has it");
  }
  if (measureTook() > within) return makeSilent("it timed out");
  const { text, tokens } = answer;
  const reason = [...new Set(answer.included.map(({ why }) => why))].join("; ");
  const items = answer.included.map(({ session: _, ...item }) => item);
  const response = { text, reason, tokens, took_ms: measureTook(), items };
  if (!preview) {
    saveInjection(memory, {
      sessionUid,
      event: request.event,
      at: source.now,
      reason,
      tokens,
      tookMs: response.took_ms,
      textHash: createHash("sha256").update(text).digest("hex").slice(0, 16),
      callId: null,
      decision: null,
      items: [
        ...answer.included.map(({ ref, why, score }) => ({ ref, why, score })),
        ...files.map((file) => ({ ref: makeFileRef(file), why: "edited", score: null })),
      ],
    });
  }
  return response;
}

/**
 * @param files edited files whose context was not injected into the session yet
 * @returns why there is no search, or the candidates, best first
 */
async function findItems(
  source: ContextSource,
  request: ContextRequest,
  files: readonly string[],
): Promise<string | ContextItem[]> {
  const mode = source.config["context.mode"];
  if (mode === "off") return "context.mode is off";
  const { event, session_id: sessionUid } = request;
  const asked = listKinds(request);
  const kinds = asked.filter((kind) => source.config["context.kinds"].includes(kind));
  if (kinds.length === 0) return `context of the kind ${asked.join(" or ")} is off (context.kinds)`;
  if (event === "session-start") {
    if (!isCompaction(request)) return toTellAtStart(source, sessionUid);
    return toTellAfterCompaction(source, sessionUid, (await source.summary?.()) ?? null);
  }
  if (event === "pre-compact") return toKeepInCompaction(source, sessionUid);
  if (event === "pre-tool-use") {
    const { search, reading } = request;
    if (reading !== undefined)
      return toTellForRead(source, sessionUid, toStoredPath(source, reading, request));
    if (search === undefined || !source.code) return "no search, or no index of code";
    return findPlaceInjections(
      source.code,
      toProjectSearch(source, search, request),
      openedBy(source, sessionUid),
    );
  }
  if (event === "user-prompt") {
    const { prompt = "" } = request;
    const past = kinds.includes("past") ? await toTellOfPast(source, sessionUid, prompt) : [];
    if (past.length > 0 || !kinds.includes("prompt")) return past;
    const said = await findPromptInjections(source, { sessionUid, prompt, least: minRelevance[mode] });
    return [...said, ...(await source.namedCode(prompt))];
  }
  if (event === "tool-failure") {
    return findFailureInjections(source, { sessionUid, error: request.error ?? "" });
  }
  const edited = listRequestFiles(source, request);
  if (edited.length === 0) return "no file given";
  const { removed = "", added = "" } = request;
  const [file = ""] = edited;
  const ofLines =
    kinds.includes("edit") && edited.length === 1
      ? toTellOfLines(source, sessionUid, file, { removed, added })
      : [];
  const reverted =
    kinds.includes("revert") && edited.length === 1
      ? await toTellOfRevert(source, sessionUid, file, { removed, added })
      : [];
  const all = files.flatMap((one) => [
    ...(kinds.includes("edit") ? toTellForEdit(source, sessionUid, one) : []),
    ...(kinds.includes("check") ? checkToTell(source, sessionUid, one) : []),
  ]);
  // An item about several of them is injected once.
  const items = [...new Map([...reverted, ...ofLines, ...all].map((one) => [one.ref, one])).values()];
  return items.length === 0 && files.length === 0 ? "the session already got context for this file" : items;
}

/** The size of one injection. Tokens. */
export const maxTokens = 800;

const isCompaction = ({ event, source }: ContextRequest) => event === "session-start" && source === "compact";

const kindsOf: Readonly<Record<ContextEvent, readonly ContextKind[]>> = {
  "session-start": ["start"],
  "user-prompt": ["past", "prompt"],
  "pre-tool-use": ["search"],
  "pre-compact": ["compaction"],
  "tool-failure": ["failure"],
  "post-tool-use": ["revert", "edit", "check"],
};

/** The kinds of context that a moment may get. */
function listKinds(request: ContextRequest): readonly ContextKind[] {
  if (isCompaction(request)) return ["compaction"];
  return request.reading === undefined ? kindsOf[request.event] : ["read"];
}

/** A search as seen from the project's root. */
function toProjectSearch(
  { root, worktrees }: ContextSource,
  search: SearchAsked,
  { cwd = root }: ContextRequest,
): SearchAsked {
  if (search.path === "") return search;
  const path = createRelativizer({ root, worktrees, cwd: root })(resolve(cwd, search.path));
  return { ...search, path: isAbsolute(path) ? search.path : path };
}

/** Whether the session has read or changed a file already, as far as is recorded. */
function openedBy({ memory }: ContextSource, sessionUid: string): (path: string) => boolean {
  const session = findSessionByUid(memory, sessionUid);
  if (session === null) return () => false;
  const opened = new Set(listTurns(memory, session.id).flatMap(({ files }) => files.map(({ path }) => path)));
  return (path) => opened.has(path);
}

/** Paths as stored, from any worktree. An agent may work anywhere, which does not make its session foreign. */
function listRequestFiles(
  { root, worktrees }: ContextSource,
  { event, file, files = [], cwd = root }: ContextRequest,
): string[] {
  if (event !== "post-tool-use") return [];
  const named = file === undefined ? files : [file, ...files];
  return [...new Set(named.map((one) => toStoredPath({ root, worktrees }, one, { cwd })))];
}

const toStoredPath = (
  { root, worktrees }: Pick<ContextSource, "root" | "worktrees">,
  file: string,
  { cwd = root }: Pick<ContextRequest, "cwd">,
): string => createRelativizer({ root, worktrees, cwd: root })(resolve(cwd, file));

const makeFileRef = (file: string) => `file:${file}`;

/**
 * The automatic context for an agent, from what is stored now. Only a daemon records what is injected: elsewhere this is a
 * preview.
 * @throws PommelError as `withMemory`, and what a search throws
 */
export async function computeContext(project: Project, request: ContextRequest): Promise<ContextResponse> {
  return withMemory(project, async (memory) => {
    const isKept = findOpenMemory(project, memory) !== null;
    const source = await buildContextSource(project, memory, request);
    return answerContext(source, isKept ? request : { ...request, preview: true });
  });
}

/** Where the context for a request comes from. */
export async function buildContextSource(
  project: Project,
  memory: Memory,
  request: Pick<ContextRequest, "session_id" | "transcript_path" | "cwd">,
): Promise<ContextSource> {
  const { root } = project;
  const config = loadCurrentConfig(project);
  const keeper = findOpenMemory(project, memory);
  return {
    root,
    // An edit cannot be previewed, and so no worktree matters.
    worktrees: keeper?.roots.filter((one) => one !== root) ?? [],
    memory,
    config,
    search: async (query) => (await openSessionSearch(project, memory, config)).search(query),
    // An index that is missing, or fails, must not prevent the rest of the context.
    namedCode: (prompt) =>
      withIndex(project, config, (index) => findNamedCode(index, prompt)).catch(() => []),
    code: {
      definitions: (names) =>
        withIndex(project, config, (index) => findDefinitionsByName(index, names)).catch(() => []),
      // A tree that is not indexed yet takes longer to read than the search itself.
      search: async (query, paths) =>
        openIndex(project) === null
          ? null
          : answerAbout(searchCode, { project }, { q: query, path: [...paths], limit: 5 }).catch(() => null),
    },
    origin: await findForkOrigin(memory, request),
    summary: () => readCompactionSummary(memory, request),
    revertOf: (commit) => waitForGit(openCommitFates(root, memory).findRevert(commit)),
    history: makeFileHistory(chooseCheckout([root, ...(keeper?.roots ?? [])], request.cwd)),
    branch: () => readCurrentBranch(request.cwd ?? root),
    now: Date.now(),
    until: null,
  };
}

/** Git goes on for the next answer. Milliseconds. */
const gitMs = 50;

async function waitForGit(asked: Promise<string | null>): Promise<string | null> {
  const late = sleep(gitMs, null, { ref: false });
  return Promise.race([asked.catch(() => null), late]);
}

/** Of a project's checkouts, the one that an agent works in. */
function chooseCheckout([root = "", ...others]: readonly string[], cwd = root): string {
  const around = [root, ...others].filter((one) => isInside(cwd, one));
  return around.sort((a, b) => b.length - a.length)[0] ?? root;
}

const makeFileHistory = (dir: string): FileHistory => ({
  changes: (file) => readRecentChanges(dir, file),
  committed: (file) => readGitTextIfAny(dir, ["show", `HEAD:./${file}`]),
});

/** The origin of a new session, by its transcript, which is imported only after the hooks' request. */
async function findForkOrigin(
  memory: Memory,
  { session_id: uid, transcript_path: path }: Pick<ContextRequest, "session_id" | "transcript_path">,
): Promise<string | null> {
  if (path === undefined || !isAbsolute(path)) return null;
  const session = findSessionByUid(memory, uid);
  if (session !== null && listTurns(memory, session.id, { first: 1, last: 1 }).length > 0) return null;
  return (await recognise(path))?.info.forkedFrom ?? null;
}

/**
 * What the agent's context was compacted to: the last summary in the transcript. The file may be ahead of what is stored, or not
 * have it yet; then nothing is known.
 */
export async function readCompactionSummary(
  memory: Memory,
  { transcript_path: path }: Pick<ContextRequest, "transcript_path">,
): Promise<string | null> {
  const known = path === undefined || !isAbsolute(path) ? null : findTranscriptByPath(memory, path);
  const { agent } = (known && (await recognise(known.path))) ?? {};
  if (known === null || agent === undefined) return null;
  const { offset, lineHash, sessionId } = known;
  let summary: string | null = null;
  const look = (entries: readonly TranscriptEntry[]) => {
    for (const entry of entries) if (entry.kind === "summary") summary = entry.text;
  };
  const last = sessionId === null ? undefined : listTurns(memory, sessionId).at(-1)?.number;
  if (sessionId !== null && last !== undefined)
    for (const { lines } of readStoredTurns(memory, sessionId, { first: last, last }))
      for (const { entries } of lines) look(entries);
  try {
    for await (const { lines } of agent.read(known.path, { offset, lineHash }))
      for (const { entries } of lines) look(entries);
  } catch {
    // It was replaced, or is gone: what is stored has to do.
  }
  return summary;
}
