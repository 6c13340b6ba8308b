import { getErrorMessage } from "../../base/errors.ts";
import { charactersOfToken } from "../../base/text/text-size.ts";
import type { Llm } from "../../models/generate/llm.ts";
import { listChunksOfSession, replaceChunks } from "../../store/memory/chunks/chunks.ts";
import type { SessionRecord, SummaryRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import {
  dropOlderSummaries,
  listSummaries,
  saveSummary,
  saveTopics,
} from "../../store/memory/sessions/summaries.ts";
import {
  findTurn,
  findTurnBefore,
  listFilesOfSession,
  listTurns,
} from "../../store/memory/sessions/turns.ts";
import { buildSummaryChunks, chunkToStore, type SummaryOfTurns } from "../chunks/chunk-to-store.ts";
import type { DraftChunk } from "../chunks/chunker.ts";
import { buildOptionsForSession, embedDrafts } from "../chunks/rechunk.ts";
import { storeTopics } from "../topics/topics.ts";
import { type PromptedTurn, readStoredTurns } from "../turn-content.ts";
import type { SessionWork } from "../work.ts";
import { listSubjectsLedTo } from "./retitle.ts";
import { summarise, type WrittenSummary } from "./summarise.ts";
import { isGenericTitle, makeSessionTitle } from "./title.ts";

export interface SumUpOptions extends SessionWork {
  /** Called within its budget (models/generate/budget.ts); null: no model is asked. */
  llm: Llm | null;
}

export interface SummedUp {
  /** Summaries that are new or say something else than before. */
  summaries: number;
  /** Chunks of summaries that the session has now. */
  chunks: number;
  /** The session's current title. */
  title: string | null;
}

/**
 * Sums a session up from its stored turns: the extractive summary, the agent's own, the language
 * model's; gives it a title and topics, and makes the summaries searchable. Doing it again changes nothing.
 * @param how `turns`: all that are stored, where they are in memory anyway. `onFailure`: why the model gave no summary; by default it is logged. `keepsTitle`: it is called what it was called
 * @returns null for a session that is not stored or has no turns
 * @throws only the signal's reason when it is aborted, and what the store throws
 */
export async function sumUpSession(
  options: SumUpOptions,
  sessionUid: string,
  {
    turns: given = null,
    signal,
    pause,
    onFailure,
    keepsTitle = false,
  }: {
    turns?: readonly PromptedTurn[] | null;
    signal?: AbortSignal | undefined;
    pause?: () => Promise<void>;
    onFailure?: (error: unknown) => void;
    keepsTitle?: boolean;
  } = {},
): Promise<SummedUp | null> {
  const { memory, llm, log } = options;
  const session = findSessionByUid(memory, sessionUid);
  if (session === null || listTurns(memory, session.id, { limit: 1 }).length === 0) return null;
  const turns = () => given ?? readStoredTurns(memory, session.id);
  const { relativize } = buildOptionsForSession(options, session);
  const warn = (error: unknown) => log.warn(`No summary by ${llm?.id}: ${getErrorMessage(error)}`);
  const found = keepLastOfEach(
    await summarise(turns, { llm, signal, pause, onFailure: onFailure ?? warn, relativize }),
  );
  const titled = keepsTitle ? null : (found.find(({ title }) => title !== undefined)?.title ?? null);
  const { title, titleSource } = session;
  const isOurs = titleSource === null || titleSource === "prompt";
  const isTelling = title !== null && !isGenericTitle(title);
  // Ours comes from the first prompts, before anything was done; a client's may be "Help".
  const fallback =
    !keepsTitle && titled === null && titleSource !== "user" && (isOurs || !isTelling)
      ? makeSessionTitle(turns(), listSubjectsLedTo(memory, session.uid))
      : null;
  const summaries = memory.runInTransaction(() => {
    let changes = 0;
    const known = listSummaries(memory, session.id);
    for (const { source, upToTurn, text, model } of found) {
      const same = known.find((other) => other.source === source && other.upToTurn === upToTurn);
      if (same?.text === text && same.model === model) continue;
      // The time of the turns that it covers: a later summary of the same turns is the same.
      const at = (source !== "llm" && findTurn(memory, session.id, upToTurn)?.endedAt) || Date.now();
      saveSummary(memory, { sessionId: session.id, source, upToTurn, at, model, text });
      changes++;
    }
    dropOlderSummaries(memory, session.id, "extractive");
    dropOlderSummaries(memory, session.id, "llm");
    const named = found.find(({ topics = [] }) => topics.length > 0);
    if (named !== undefined) saveTopics(memory, session.id, named.topics!, named.model);
    const { uid, agent, cwd } = session;
    if (titled !== null) saveSession(memory, { uid, agent, cwd, title: { text: titled, source: "summary" } });
    if (fallback !== null && fallback !== title)
      saveSession(memory, { uid, agent, cwd, title: { text: fallback, source: "prompt", replaces: true } });
    return changes;
  });
  const now = findSessionByUid(memory, sessionUid) ?? session;
  storeTopics(memory, now, turns());
  const chunks = await storeSummaryChunks(options, session, signal);
  return { summaries, chunks, title: now.title };
}

/** A session can be compacted twice in one turn; the later summary covers the other. */
function keepLastOfEach(summaries: readonly WrittenSummary[]): WrittenSummary[] {
  return [...new Map(summaries.map((each) => [`${each.source} ${each.upToTurn}`, each])).values()];
}

/**
 * Makes the summaries of a session searchable: the one that covers most of it, and the agent's own. Existing chunks
 * stay.
 * @returns how many there are now
 */
export async function storeSummaryChunks(
  work: SessionWork,
  session: SessionRecord,
  signal?: AbortSignal,
): Promise<number> {
  const { memory, embedder } = work;
  const drafts = buildSummaryDrafts(work, session);
  const stored = listChunksOfSession(memory, session.id, { type: "summary" });
  const outline = ({ text, files, firstTurn, lastTurn, kind, startedAt, endedAt }: DraftChunk["chunk"]) =>
    JSON.stringify([text, files, firstTurn, lastTurn, kind, startedAt, endedAt]);
  const isSame =
    stored.length === drafts.length && drafts.every(({ chunk }, i) => outline(chunk) === outline(stored[i]!));
  if (isSame) return stored.length;
  const vectors = await embedDrafts(embedder, drafts, signal);
  const chunks = drafts.map((draft, position) =>
    chunkToStore(session, draft, { position }, embedder, vectors[position]),
  );
  replaceChunks(memory, session.id, { type: "summary", from: 0 }, chunks);
  return chunks.length;
}

/** Paths that a summary's chunk names. */
const maxFiles = 50;

function buildSummaryDrafts(work: SessionWork, session: SessionRecord): DraftChunk[] {
  const { memory, chunks: options } = work;
  const [first] = listTurns(memory, session.id, { limit: 1 });
  if (first === undefined) return [];
  const all = listSummaries(memory, session.id);
  const compactions = all.filter(({ source }) => source === "compaction").reverse();
  const whole = all.find(({ source }) => source !== "compaction");
  const worthIt = whole && (whole.source === "llm" || isLong(work, session) || compactions.length > 0);
  const files = listFilesOfSession(memory, session.id)
    .filter(({ how }) => how !== "read")
    .map(({ path }) => path)
    .slice(0, maxFiles);
  const ofTurns = ({ text, upToTurn }: SummaryRecord): SummaryOfTurns => ({
    text,
    firstTurn: first.number,
    upToTurn,
    startedAt: first.startedAt,
    endedAt: findTurnBefore(memory, session.id, upToTurn + 1)?.endedAt ?? first.endedAt,
    branch: session.branch,
    files,
  });
  return [...(worthIt ? [whole] : []), ...compactions].flatMap((summary) =>
    buildSummaryChunks(ofTurns(summary), options),
  );
}

/**
 * Whether a session is longer than one chunk: the extract of a shorter one would only repeat that chunk and compete
 * with it.
 */
function isLong({ memory, chunks }: SessionWork, session: SessionRecord): boolean {
  const raw = listChunksOfSession(memory, session.id, { type: "raw" });
  return raw.reduce((sum, { text }) => sum + text.length, 0) > chunks.maxTokens * charactersOfToken;
}
