import { createHash } from "node:crypto";
import type { Entry, TranscriptLine, Usage } from "../agent.ts";
import { known, timeOf } from "../reading/fields.ts";
import type { ChatRecord } from "./record-schema.ts";

/**
 * What a chat's records so far leave for those behind them. A chat is a log of changes: a message comes again with
 * the same id when its tools have ended, and the whole history comes again, with less in it, whenever a session is
 * resumed, compressed or taken back. Of everything the first that is seen is kept; what comes later may only add.
 */
export interface Replay {
  session: string | null;
  /** The line that the next one follows. */
  leaf: string | null;
  messages: Map<string, Seen>;
  /** Hashes of what was said, with the message that said it: after a compression messages have other ids. */
  seenTexts: Map<string, Seen>;
  calls: Map<string, { own: boolean; isShell: boolean; ended: boolean }>;
}

export interface Seen {
  /** The line before its first one. */
  before: string | null;
  /** Characters of its text, and their hash. */
  length: number;
  hash: string;
  hasUsage: boolean;
}

export function newReplay(): Replay {
  return { session: null, leaf: null, messages: new Map(), seenTexts: new Map(), calls: new Map() };
}

/** A message of a chat, and what is known of it. */
export class Message {
  readonly id: string;
  readonly uid: string;
  readonly usage: Usage | null;
  readonly at: number | null;

  constructor(
    readonly replay: Replay,
    readonly record: ChatRecord,
    readonly cwd: string | null,
    /** It stands in a history that is repeated. */
    readonly isAgain: boolean,
  ) {
    this.id = known(record.id) ?? hashOf(JSON.stringify([record.type, record.timestamp, record.content]));
    // Ids that are made from the content are the same in other sessions.
    const isUnique = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(this.id);
    this.uid = isUnique ? this.id : `${replay.session ?? "?"}:${this.id.slice(0, 200)}`;
    this.usage = usageOf(record, this.uid);
    this.at = timeOf(record.timestamp);
  }

  get seen(): Seen | undefined {
    return this.replay.messages.get(this.id);
  }

  get isNew(): boolean {
    return this.seen === undefined;
  }

  /** Calls keep their id when messages get another one. */
  uidOfCall(id: string, part: "call" | "result"): string {
    return `${this.replay.session ?? "?"}:${part}:${id.slice(0, 200)}`;
  }

  /** Whether a history is repeated and this was said before, under another id; if so, it is the same message. */
  isRepeated(text: string): boolean {
    const before = this.isAgain && text !== "" ? this.replay.seenTexts.get(this.saying(text)) : undefined;
    if (before) this.replay.messages.set(this.id, before);
    return before !== undefined;
  }

  remember(text: string): void {
    const { leaf: before } = this.replay;
    const seen = { before, length: text.length, hash: hashOf(text), hasUsage: this.usage !== null };
    this.replay.messages.set(this.id, seen);
    if (text !== "") this.replay.seenTexts.set(this.saying(text), seen);
  }

  private saying(text: string): string {
    return `${this.record.type} ${hashOf(text.trim())}`;
  }

  /** A line that follows the last one. */
  line(
    uid: string,
    entries: Entry[],
    { at = this.at, usage = false }: { at?: number | null; usage?: boolean } = {},
  ): TranscriptLine {
    const made = line(uid, this.replay.leaf, entries);
    this.replay.leaf = uid;
    if (usage && this.seen && this.usage) this.seen.hasUsage = true;
    return { ...made, at, cwd: this.cwd, usage: usage ? this.usage : null };
  }
}

export function line(uid: string | null, parentUid: string | null, entries: Entry[]): TranscriptLine {
  return { uid, parentUid, at: null, cwd: null, branch: null, entries, usage: null };
}

/** Of the tokens that went in, the client counts those from the cache again, and thoughts beside what came out. */
function usageOf({ tokens, model }: ChatRecord, messageId: string): Usage | null {
  if (!tokens || !known(model)) return null;
  const { input, output, cached, thoughts: thought, tool } = tokens;
  return {
    messageId,
    model: model!,
    input: Math.max(0, (input ?? 0) - (cached ?? 0)) + (tool ?? 0),
    output: (output ?? 0) + (thought ?? 0),
    cacheRead: cached ?? 0,
    cacheWrite: 0,
  };
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
