import type { ReadBatch, TranscriptLine, Usage } from "../../agents/agent.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { findPositionOfTurn, keepNewestChunks, replaceChunks } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { PassageVectors, SessionRecord } from "../../store/memory/memory-records.ts";
import { insertLines } from "../../store/memory/sessions/transcripts.ts";
import { countTurns, markAbandoned, saveTurn, type TurnToStore } from "../../store/memory/sessions/turns.ts";
import { saveUsage } from "../../store/memory/sessions/usage.ts";
import { findNotes, type NotedChunk, storeNotes } from "../chunks/annotate.ts";
import { chunkToStore } from "../chunks/chunk-to-store.ts";
import { type ChunkOptions, chunkGroup, type DraftChunk } from "../chunks/chunker.ts";
import { embedChunks } from "../chunks/embed.ts";
import type { PromptedTurn, Turn } from "../turn-content.ts";
import { type IngestState, loadState, type PositionedLine, takeLines } from "./session-state.ts";
import { type GroupOptions, groupTurns, turnToStore } from "./turns.ts";

export interface WriterOptions {
  memory: Memory;
  session: Pick<SessionRecord, "id" | "uid" | "cwd">;
  chunks: ChunkOptions & GroupOptions;
  /** Makes the vectors of new chunks; null: they have none. */
  embedder: Embedder | null;
  /** Of more raw chunks only the newest stay; 0: all. */
  maxChunks: number;
}

/** Everything a batch of lines changes, ready to be written in one transaction. */
interface PreparedBatch {
  positioned: PositionedLine[];
  groups: Turn[][];
  drafts: DraftChunk[];
  vectors: PassageVectors[];
  notes: NotedChunk[];
}

/** Packed turns of a session that are held for what sums it up; unpacked they take eight times as much. */
const maxHeldBytes = 2_000_000;

/** Writes the parts of one session: turns, chunks, notes. Its input is scrubbed, and new to the memory. */
export class SessionWriter {
  private state: IngestState;
  /** All turns of a session that had none before, by number; null: it had, or they are too much to hold. */
  private written: Map<number, PromptedTurn> | null;
  private writtenBytes = 0;

  constructor(private readonly options: WriterOptions) {
    this.state = loadState(options.memory, options.session);
    this.written = this.state.turns.length === 0 ? new Map() : null;
  }

  /** All turns of the session, as they are stored; null: they are to be read. */
  get allTurns(): PromptedTurn[] | null {
    const { memory, session } = this.options;
    // Another file of the session may be read at the same time.
    if (this.written === null || this.written.size < countTurns(memory, session.id)) return null;
    return [...this.written.values()].sort((a, b) => a.number - b.number);
  }

  /** Adds lines, and works out what they change. */
  async prepare(lines: readonly TranscriptLine[], signal?: AbortSignal): Promise<PreparedBatch> {
    const { memory, chunks: options, embedder, session } = this.options;
    const positioned = takeLines(memory, this.state, lines);
    const groups = this.state.changed.size > 0 ? groupTurns(this.state.turns, options) : [];
    const drafts = groups.flatMap((group) => chunkGroup(group, options));
    const notes = findNotes(memory, session, positioned, this.state.turns, options);
    const terms = [...drafts, ...notes.map(({ draft }) => draft)].map((made) => made.terms);
    const vectors = embedder ? await embedChunks(embedder, terms, signal) : [];
    return { positioned, groups, drafts, vectors, notes };
  }

  /**
   * Writes what was prepared last; to be called in a transaction.
   * @returns how many chunks were written
   */
  store({ positioned, groups, drafts, vectors, notes }: PreparedBatch): number {
    const { memory, session, embedder, maxChunks } = this.options;
    insertLines(
      memory,
      session.id,
      positioned.flatMap(({ line: { uid }, seq, turn }) => (uid === null ? [] : [{ uid, seq, turn }])),
    );
    saveUsage(memory, session.id, collectUsage(positioned));
    for (const group of groups) this.storeTurns(group);
    this.storeChunks(groups, drafts, vectors);
    storeNotes(memory, session, notes, (draft, annotationId, i) =>
      chunkToStore(
        session,
        draft,
        { position: annotationId, annotationId },
        embedder,
        vectors[drafts.length + i],
      ),
    );
    markAbandoned(memory, session.id, [...this.state.abandoned]);
    if (maxChunks > 0) keepNewestChunks(memory, session.id, maxChunks);
    this.state.changed.clear();
    this.state.turns = groups.at(-1) ?? this.state.turns;
    return drafts.length + notes.length;
  }

  private storeTurns(group: readonly Turn[]): void {
    const { memory, session, chunks } = this.options;
    const groupStart = group[0]!.number;
    for (const turn of group) {
      const times = turn.lines.flatMap(({ at }) => at ?? []);
      const made = turnToStore(turn, chunks.relativize);
      this.hold(turn, made);
      saveTurn(memory, session.id, {
        number: turn.number,
        startedAt: times.length > 0 ? Math.min(...times) : null,
        endedAt: times.length > 0 ? Math.max(...times) : null,
        branch: turn.branch,
        abandoned: turn.abandoned,
        groupStart,
        ...made,
      });
    }
  }

  private hold(turn: Turn, { prompt, content }: Pick<TurnToStore, "prompt" | "content">): void {
    this.writtenBytes += content.json.length;
    if (this.writtenBytes > maxHeldBytes) this.written = null;
    this.written?.set(turn.number, { ...turn, record: { prompt } });
  }

  private storeChunks(
    groups: readonly Turn[][],
    drafts: readonly DraftChunk[],
    vectors: readonly PassageVectors[],
  ): void {
    const { memory, session, embedder } = this.options;
    const first = groups[0]?.[0]?.number;
    if (first === undefined) return;
    const from = findPositionOfTurn(memory, session.id, "raw", first);
    const chunks = drafts.map((draft, i) =>
      chunkToStore(session, draft, { position: from + i }, embedder, vectors[i]),
    );
    replaceChunks(memory, session.id, { type: "raw", from }, chunks);
  }
}

function collectUsage(positioned: readonly PositionedLine[]) {
  return positioned.flatMap(({ line: { usage }, turn }) =>
    usage ? [{ ...toMessageUsage(usage), turn }] : [],
  );
}

/** More tokens than any message has: sums of counts that a transcript invents stay whole numbers that SQLite can add. */
const maxTokens = 1e12;

function toMessageUsage(usage: Usage) {
  const { messageId, model, input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = usage;
  const tokens = (count: number) => (count > 0 ? Math.min(Math.round(count), maxTokens) : 0);
  return {
    messageUid: messageId,
    model,
    input: tokens(input),
    output: tokens(output),
    cacheRead: tokens(cacheRead),
    cacheWrite: tokens(cacheWrite),
    cacheWriteHour: tokens(cacheWriteHour),
  };
}

/** The title in a batch of lines; title lines are not part of the conversation. */
export function findTitleInBatch(batch: Pick<ReadBatch, "lines">): string | null {
  const titles = batch.lines.flatMap(({ entries }) =>
    entries.flatMap((entry) => (entry.kind === "title" ? [entry.text] : [])),
  );
  return titles.at(-1) ?? null;
}
