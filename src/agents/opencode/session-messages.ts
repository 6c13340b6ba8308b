import { createHash } from "node:crypto";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type { Cursor } from "../agent.ts";
import { parseJsonLine } from "../reading/json.ts";
import { transcriptChanged } from "../reading/read-lines.ts";
import {
  asMessage,
  asPart,
  type MessageData,
  type MessageRow,
  messagesIn,
  partSizes,
  partsIn,
  type SessionRow,
} from "./database.ts";
import { linesOf, type Message } from "./message.ts";

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
    this.rows = messagesIn(db, session.id);
    const sizes = partSizes(db, session.id);
    for (const { id } of this.rows) this.sizes.push(this.sizes.at(-1)! + (sizes.get(id) ?? 0));
  }

  /** The size of the parts before a position. Bytes. */
  sizeOf(position: number): number {
    return this.sizes[position] ?? 0;
  }

  cursorAt(position: number): Cursor {
    const hash = shortHash([this.session.title ?? null]);
    return { offset: this.sizeOf(position), lineHash: `${position} ${this.idsHash(position)} ${hash}` };
  }

  /**
   * The position of a cursor.
   * @throws PommelError `transcript_changed` when messages before it are gone
   */
  countIn({ lineHash }: Cursor, path: string): number {
    const [written, hash] = lineHash.split(" ");
    const position = Number(written);
    if (position <= this.rows.length && hash === this.idsHash(position)) return position;
    throw transcriptChanged(path);
  }

  /** Whether the message at a position will not change any more; false behind the last one. */
  isComplete(position: number): boolean {
    const row = this.rows[position];
    if (row === undefined) return false;
    if (position < this.rows.length - 1) return true;
    const { time, role, error } = dataOf(row);
    if (role === "assistant" && (typeof time?.completed === "number" || error)) return true;
    return Date.now() - row.time_updated > abandonedMs;
  }

  message(position: number): Message {
    const row = this.rows[position]!;
    const data = dataOf(row);
    const parts = partsIn(this.db, row.id).map(({ data: json }) =>
      asPart(json && parseJsonLine(Buffer.from(json))),
    );
    const before = position > 0 ? this.rows[position - 1]! : null;
    const isAnswer = data.role === "assistant" && before !== null && before.id === data.parentID;
    return { data, parts, asked: isAnswer ? this.message(position - 1) : null };
  }

  /** The last line before a position. */
  lastUidBefore(position: number): string | null {
    for (let at = position - 1; at >= 0; at--) {
      const uid = linesOf(this.message(at), null, this.session.directory).lines.at(-1)?.uid;
      if (uid) return uid;
    }
    return null;
  }

  private idsHash(position: number): string {
    return shortHash(this.rows.slice(0, position).map(({ id }) => id));
  }
}

const noMessage = asMessage({})!;

function dataOf({ data }: MessageRow): MessageData {
  return asMessage(parseJsonLine(Buffer.from(data))) ?? noMessage;
}

function shortHash(texts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16);
}
