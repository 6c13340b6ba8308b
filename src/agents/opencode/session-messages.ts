import { createHash } from "node:crypto";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type { Cursor } from "../agent.ts";
import { parseJsonLine } from "../reading/json.ts";
import { makeTranscriptChangedError } from "../reading/read-lines.ts";
import {
  asMessage,
  asPart,
  type MessageData,
  type MessageRow,
  measureParts,
  readMessages,
  readParts,
  type SessionRow,
} from "./database.ts";
import { makeMessageLines, type OpencodeMessage } from "./message.ts";

/** A message that nobody completes is read after this long. Milliseconds. */
const abandonedMs = 10 * 60_000;

/** A session's messages, parsed when they are asked for. A position among them is the number of those before it. */
export class SessionMessages {
  private readonly rows: readonly MessageRow[];
  /** The bytes of the parts before each position. */
  private readonly sizes: number[] = [0];

  constructor(
    private readonly db: ForeignDatabase,
    private readonly session: SessionRow,
  ) {
    this.rows = readMessages(db, session.id);
    const sizes = measureParts(db, session.id);
    for (const { id } of this.rows) this.sizes.push(this.sizes.at(-1)! + (sizes.get(id) ?? 0));
  }

  /** The size of the parts before a position. Bytes. */
  measureUpTo(position: number): number {
    return this.sizes[position] ?? 0;
  }

  makeCursor(position: number): Cursor {
    const hash = hashTexts([this.session.title ?? null]);
    return { offset: this.measureUpTo(position), lineHash: `${position} ${this.hashIds(position)} ${hash}` };
  }

  /**
   * The position of a cursor.
   * @throws PommelError `transcript_changed` when messages before it are gone
   */
  countIn({ lineHash }: Cursor, path: string): number {
    const [written, hash] = lineHash.split(" ");
    const position = Number(written);
    if (position <= this.rows.length && hash === this.hashIds(position)) return position;
    throw makeTranscriptChangedError(path);
  }

  /** Whether the message at a position will not change any more; false behind the last one. */
  isComplete(position: number): boolean {
    const row = this.rows[position];
    if (row === undefined) return false;
    if (position < this.rows.length - 1) return true;
    const { time, role, error } = parseMessageData(row);
    if (role === "assistant" && (typeof time?.completed === "number" || error)) return true;
    return Date.now() - row.time_updated > abandonedMs;
  }

  readMessage(position: number): OpencodeMessage {
    const row = this.rows[position]!;
    const data = parseMessageData(row);
    const parts = readParts(this.db, row.id).map(({ data: json }) =>
      asPart(json && parseJsonLine(Buffer.from(json))),
    );
    const before = position > 0 ? this.rows[position - 1]! : null;
    const isAnswer = data.role === "assistant" && before !== null && before.id === data.parentID;
    return { data, parts, asked: isAnswer ? this.readMessage(position - 1) : null };
  }

  /** The last line before a position. */
  findLastUid(position: number): string | null {
    for (let at = position - 1; at >= 0; at--) {
      const uid = makeMessageLines(this.readMessage(at), null, this.session.directory).lines.at(-1)?.uid;
      if (uid) return uid;
    }
    return null;
  }

  private hashIds(position: number): string {
    return hashTexts(this.rows.slice(0, position).map(({ id }) => id));
  }
}

const noMessage = asMessage({})!;

function parseMessageData({ data }: MessageRow): MessageData {
  return asMessage(parseJsonLine(Buffer.from(data))) ?? noMessage;
}

function hashTexts(texts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16);
}
