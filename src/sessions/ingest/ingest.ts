import type { Agent, ReadBatch, TranscriptInfo, TranscriptLine } from "../../agents/agent.ts";
import { getErrorCode } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createLedger, type Scrubber, scrubAlone } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { listSecrets, saveSecrets } from "../../store/memory/privacy/secrets.ts";
import { saveCut } from "../../store/memory/sessions/session-index.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import {
  findKnownLines,
  findPlacesOfLines,
  findTranscriptByPath,
  forgetTranscript,
  moveTranscript,
  saveTranscript,
} from "../../store/memory/sessions/transcripts.ts";
import { findLastGroupStart } from "../../store/memory/sessions/turns.ts";
import { findMessagesElsewhere } from "../../store/memory/sessions/usage.ts";
import { dropTurns } from "../../store/memory/sharing.ts";
import { buildSessionCut, type CutSettings } from "../chunks/cut-rules.ts";
import { createRelativizer } from "../relative-paths.ts";
import {
  type Commands,
  createIdScrubber,
  createRepeatedScrub,
  scrubIds,
  scrubInfo,
  scrubLabel,
  scrubLine,
} from "../scrub/scrub-lines.ts";
import { isGenericTitle, makeTitleFromPrompts } from "../summaries/title.ts";
import type { PromptedTurn } from "../turn-content.ts";
import { findTranscript, isCopyOfStored } from "./known-transcripts.ts";
import { findTitleInBatch, SessionWriter } from "./session-writer.ts";

export interface IngestOptions extends CutSettings {
  memory: Memory;
  agent: Agent;
  scrubber: Scrubber;
  /** Keys the fingerprints of secrets (redact/scrubber.ts). */
  ledgerKey: Uint8Array;
  embedder: Embedder | null;
  /** The project's root and those of its other worktrees. */
  root: string;
  worktrees: readonly string[];
  /** Called in the transaction that stores lines of a session. */
  onStored?: (session: string) => void;
  /** Waits for those that begin to be read at once and come before: their first lines are stored first. */
  inOrder?: (signal?: AbortSignal) => Promise<void>;
  /** Whether another session that has some of these lines is being read now, and gets all that the two share. */
  isReadBefore?: (lines: readonly TranscriptLine[]) => boolean;
  log: Logger;
}

export interface IngestResult {
  /** The session's uid; null if the file does not name it (yet), and nothing was read. */
  session: string | null;
  /** Lines that were new. */
  lines: number;
  chunks: number;
  /** The context was compacted in these lines. */
  compacted: boolean;
  /** All turns of a session of which nothing was stored before, where they are few enough to hold. */
  turns: PromptedTurn[] | null;
}

/**
 * Reads a transcript from where the last reading ended and stores new lines, each batch and its cursor in one
 * transaction: after a stop the next reading continues from there, and repeating it changes nothing.
 * @param onProgress bytes read so far
 * @throws SharedLines; system errors (ENOENT, EBUSY) and those of the store as they are; the signal's reason
 */
export async function ingestTranscript(
  options: IngestOptions,
  path: string,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (bytes: number) => void } = {},
): Promise<IngestResult> {
  const result: IngestResult = { session: null, lines: 0, chunks: 0, compacted: false, turns: null };
  const described = await options.agent.describe(path);
  if (described === null) return result;
  const idOf = createIdScrubber(options.scrubber, options.ledgerKey);
  const info = scrubInfo(described, options.scrubber, idOf);
  if (isForgotten(options.memory, info.session)) return result;
  if (findSessionByUid(options.memory, info.session) === null && isCopyOfStored(options.memory, info))
    return result;
  const session = openSession(options, info);
  result.session = session.uid;
  const moved = findTranscript(options.memory, path, info.session);
  if (moved !== null && moved.path !== path) moveTranscript(options.memory, moved.path, path);
  for (let attempt = 1; ; attempt++) {
    try {
      await readOn({ ...options, idOf }, path, info, session, result, { signal, onProgress });
      break;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      if (getErrorCode(error) === "transcript_changed") {
        options.log.warn(`${path} was replaced; reading it from the start`);
        forgetTranscript(options.memory, path);
      } else if (!(error instanceof StoredMeanwhile)) throw error;
    }
  }
  return result;
}

/** Somebody else stored lines of a batch while it was prepared: what follows is read with its lines known. */
class StoredMeanwhile extends Error {}

/** Batches that may be read again in a row of readings of one transcript. */
const maxAttempts = 20;

/** Another session with the same lines is being read: this one comes after it. */
export class SharedLines extends Error {
  override readonly name = "SharedLines";
}

function openSession({ memory, agent }: IngestOptions, info: TranscriptInfo): SessionRecord {
  return memory.runInTransaction(() => {
    const { session: uid, parent, cwd, forkedFrom } = info;
    const startedAt = nullIfFuture(info.startedAt);
    // A subagent's file may come before its session's.
    const above = parent && saveSession(memory, { uid: parent.session, agent: agent.name, cwd });
    const origin = forkedFrom !== undefined && !isForgotten(memory, forkedFrom) ? forkedFrom : null;
    const before = origin !== null && saveSession(memory, { uid: origin, agent: agent.name, cwd });
    const known = findSessionByUid(memory, uid);
    // What others shared of it is not what the agent wrote here.
    if (known !== null && known.author !== null) dropTurns(memory, known.id);
    return saveSession(memory, {
      uid,
      agent: agent.name,
      cwd,
      startedAt,
      author: null,
      signer: null,
      ...(before && { forkedFrom: before.id }),
      ...(above && {
        parentId: above.id,
        parentToolUse: parent?.toolUse ?? null,
        agentType: parent?.agentType ?? null,
        ...(parent?.task && { title: { text: parent.task, source: "agent" as const } }),
      }),
    });
  });
}

async function readOn(
  options: IngestOptions & { idOf: (id: string) => string },
  path: string,
  info: TranscriptInfo,
  session: SessionRecord,
  result: IngestResult,
  {
    signal,
    onProgress,
  }: { signal?: AbortSignal | undefined; onProgress?: ((bytes: number) => void) | undefined },
): Promise<void> {
  const { memory, agent, scrubber, root, worktrees } = options;
  const relativize = createRelativizer({ root, worktrees, cwd: info.cwd });
  const writer = new SessionWriter({
    memory,
    session,
    chunks: { ...options.chunks, relativize },
    embedder: options.embedder,
    maxChunks: options.maxChunks,
  });
  const ledger = createLedger(options.ledgerKey, listSecrets(memory, session.id));
  const commands: Commands = new Map();
  const scrubRepeated = createRepeatedScrub(scrubber, ledger);
  // What follows in a session that was cut by something else waits to be cut again with it.
  const isFirst = findLastGroupStart(memory, session.id) === null;
  const before = findTranscriptByPath(memory, path);
  const cursor = before && { offset: before.offset, lineHash: before.lineHash };
  for await (const batch of agent.read(path, cursor, signal)) {
    signal?.throwIfAborted();
    const changes = memory.readForeignChanges();
    const given = batch.lines.map((line) => scrubIds(line, options.idOf));
    const findNew = () => selectNewLines(memory, given, isFirst ? session : null);
    const fresh = findNew();
    if (fresh.length < given.length && options.isReadBefore?.(given))
      throw new SharedLines("Another session with the same lines is being read.");
    const scrubbed = fresh.map((line) => scrubLine(line, scrubber, ledger, commands, scrubRepeated));
    const by = session.parentId !== null ? "agent" : agent.isForeign ? "tool" : null;
    const lines = by === null ? scrubbed : scrubbed.map((line) => markPrompter(line, by));
    const title = scrubBatchTitle(batch, (text) => scrubber.scrub(text, ledger));
    const prepared = await writer.prepare(lines, signal);
    if (before === null) await options.inOrder?.(signal);
    result.chunks += memory.runInTransaction(() => {
      if (memory.readForeignChanges() !== changes && findNew().length !== fresh.length)
        throw new StoredMeanwhile("Lines were stored meanwhile.");
      const chunks = writer.store(prepared);
      saveSecrets(memory, session.id, ledger.takeNew());
      saveSession(memory, {
        ...buildSessionUpdate(session, lines),
        forkedFrom: findForkedSession(memory, session.id, given),
        ...(title !== null && { title: { text: title, source: "agent" as const } }),
      });
      if (lines.length > 0) options.onStored?.(session.uid);
      if (isFirst) saveCut(memory, session.id, buildSessionCut(options, session.agent));
      saveTranscript(memory, {
        path,
        agent: agent.name,
        sessionId: session.id,
        ...batch.cursor,
        size: batch.cursor.offset,
        readAt: Date.now(),
        skipped: scrubKeys(batch.skipped, scrubber),
        damaged: batch.damaged,
      });
      return chunks;
    });
    result.lines += lines.length;
    result.compacted ||= lines.some(({ entries }) => entries.some(({ kind }) => kind === "summary"));
    onProgress?.(batch.cursor.offset);
    // Others wait for the process as well.
    await new Promise((resolve) => setImmediate(resolve));
  }
  result.turns = writer.allTurns;
}

/** Reasons name types of lines, which the file names. */
const scrubKeys = (counts: Record<string, number>, scrubber: Scrubber) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [scrubAlone(scrubber, name), count]));

/** A client reports a session's end before it has written all of it. Milliseconds. */
const slack = 5000;

const findMinimum = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
const findMaximum = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));

/** Lines that are not stored yet, each once, without those that only name the session. */
function selectNewLines(
  memory: Memory,
  given: readonly TranscriptLine[],
  session: SessionRecord | null,
): TranscriptLine[] {
  const lines = given.map((line) => ({
    ...line,
    at: nullIfFuture(line.at),
  }));
  const copied = session === null ? new Set() : findRepeatedLines(memory, session, lines);
  const known = findKnownLines(
    memory,
    lines.flatMap(({ uid }) => uid ?? []),
  );
  return lines.flatMap((line): TranscriptLine[] => {
    if (line.uid !== null) {
      if (known.has(line.uid) || copied.has(line)) return [];
      known.add(line.uid);
    }
    const entries = line.entries.filter(({ kind }) => kind !== "title");
    return line.uid === null && entries.length === 0 ? [] : [{ ...line, entries }];
  });
}

/** Clocks differ a little. Milliseconds. */
const clockSlack = 10 * 60_000;

/** What a subagent is asked, no person asks; nor is it known who did in another tool's file. */
const markPrompter = (line: TranscriptLine, by: "agent" | "tool"): TranscriptLine => ({
  ...line,
  entries: line.entries.map((entry) => (entry.kind === "prompt" ? { ...entry, by } : entry)),
});

/** A time; null, unknown, where it has not come yet: the clock was wrong, and the session would be the latest for ever. */
const nullIfFuture = (at: number | null): number | null =>
  at !== null && at > Date.now() + clockSlack ? null : at;

/** Shorter ids of messages are not the same everywhere. */
const globalId = /^[\w-]{16,}$/;

/**
 * Lines that repeat those of another session under new ids: some clients copy a resumed session so into a new file. An
 * agent's messages keep the ids that its model's service gave them; what led to one of them is copied with it.
 */
function findRepeatedLines(
  memory: Memory,
  { id }: SessionRecord,
  lines: readonly TranscriptLine[],
): ReadonlySet<TranscriptLine> {
  const messages = lines.flatMap(({ usage }) =>
    usage && globalId.test(usage.messageId) ? usage.messageId : [],
  );
  const elsewhere = findMessagesElsewhere(memory, id, [...new Set(messages)]);
  const copied = new Set<TranscriptLine>();
  if (elsewhere.size === 0) return copied;
  const byUid = new Map(lines.map((line) => [line.uid, line]));
  for (const line of lines) {
    if (line.usage === null || !elsewhere.has(line.usage.messageId)) continue;
    for (let one: TranscriptLine | undefined = line; one !== undefined && !copied.has(one); ) {
      copied.add(one);
      one = one.parentUid === null ? undefined : byUid.get(one.parentUid);
    }
  }
  return copied;
}

function scrubBatchTitle(batch: ReadBatch, scrub: (text: string) => string): string | null {
  const title = findTitleInBatch(batch);
  return title === null || isGenericTitle(title) ? null : scrubLabel("title", title, scrub);
}

/** The session that lines of a transcript were copied from; undefined when they are its own. */
function findForkedSession(
  memory: Memory,
  sessionId: number,
  lines: readonly TranscriptLine[],
): number | null {
  const places = findPlacesOfLines(
    memory,
    lines.slice(0, 200).flatMap(({ uid }) => uid ?? []),
  );
  return [...places.values()].find((place) => place.sessionId !== sessionId)?.sessionId ?? null;
}

function buildSessionUpdate({ uid, agent, cwd, endedAt }: SessionRecord, lines: readonly TranscriptLine[]) {
  const times = lines.flatMap(({ at }) => at ?? []);
  const branch = lines.findLast((line) => line.branch !== null)?.branch;
  const title = makeTitleFromPrompts(
    lines.flatMap(({ entries }) => entries.flatMap((entry) => (entry.kind === "prompt" ? entry.text : []))),
  );
  return {
    uid,
    agent,
    cwd,
    ...(title !== null && { title: { text: title, source: "prompt" as const } }),
    ...(branch && { branch }),
    ...(times.length > 0 && {
      startedAt: findMinimum(times),
      lastAt: findMaximum(times),
      // Lines that were still to be written at the reported end do not continue the session.
      ...(endedAt !== null && findMaximum(times) > endedAt + slack && { ended: null }),
    }),
  };
}
