import { createHash } from "node:crypto";
import type { TranscriptEntry, TranscriptLine, Usage } from "../agent.ts";
import { emptyToNull, parseTime } from "../reading/json.ts";
import { makeTranscriptLine } from "../reading/transcript-lines.ts";
import type { ChatRecord } from "./record-schema.ts";

/**
 * State that a chat's earlier records leave for later ones. A chat is a log of changes: a message is repeated with the
 * same id when its tools end, and the history is repeated, with less content, when a session is resumed, compressed or
 * rewound. The first version is kept; later ones may only add.
 */
export interface Replay {
  /** The launch directory. */
  cwd: string | null;
  session: string | null;
  /** The parent of the next line. */
  leaf: string | null;
  messages: Map<string, SeenMessage>;
  /** Messages by hash of their text: a compression changes their ids. */
  seenTexts: Map<string, SeenMessage>;
  calls: Map<string, { own: boolean; isShell: boolean; ended: boolean }>;
}

interface SeenMessage {
  /** The parent of its first line. */
  before: string | null;
  /** Length of its text in characters, and its hash. */
  length: number;
  hash: string;
  hasUsage: boolean;
}

export function makeReplay(cwd: string | null): Replay {
  return { cwd, session: null, leaf: null, messages: new Map(), seenTexts: new Map(), calls: new Map() };
}

/** A message of a chat, with its state. */
export class GeminiMessage {
  readonly id: string;
  readonly uid: string;
  readonly usage: Usage | null;
  readonly at: number | null;

  constructor(
    readonly replay: Replay,
    readonly record: ChatRecord,
    /** Whether it is part of a repeated history. */
    readonly isAgain: boolean,
  ) {
    this.id =
      emptyToNull(record.id) ?? hashText(JSON.stringify([record.type, record.timestamp, record.content]));
    // Ids derived from content may repeat in other sessions.
    const isUnique = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(this.id);
    this.uid = isUnique ? this.id : `${replay.session ?? "?"}:${this.id.slice(0, 200)}`;
    this.usage = parseUsage(record, this.uid);
    this.at = parseTime(record.timestamp);
  }

  get seen(): SeenMessage | undefined {
    return this.replay.messages.get(this.id);
  }

  get isNew(): boolean {
    return this.seen === undefined;
  }

  /** Calls keep their id when a message's changes. */
  makeCallUid(id: string, part: "call" | "result"): string {
    return `${this.replay.session ?? "?"}:${part}:${id.slice(0, 200)}`;
  }

  /** Whether a repeated history contains an earlier message under another id; if so, it becomes that message. */
  isRepeated(text: string): boolean {
    const before =
      this.isAgain && text !== "" ? this.replay.seenTexts.get(this.makeTextKey(text)) : undefined;
    if (before) this.replay.messages.set(this.id, before);
    return before !== undefined;
  }

  remember(text: string): void {
    const { leaf: before } = this.replay;
    const seen = { before, length: text.length, hash: hashText(text), hasUsage: this.usage !== null };
    this.replay.messages.set(this.id, seen);
    if (text !== "") this.replay.seenTexts.set(this.makeTextKey(text), seen);
  }

  private makeTextKey(text: string): string {
    return `${this.record.type} ${hashText(text.trim())}`;
  }

  /** Appends a line. */
  appendLine(
    uid: string,
    entries: TranscriptEntry[],
    { at = this.at, usage = false }: { at?: number | null; usage?: boolean } = {},
  ): TranscriptLine {
    const { leaf: parentUid, cwd } = this.replay;
    this.replay.leaf = uid;
    if (usage && this.seen && this.usage) this.seen.hasUsage = true;
    return makeTranscriptLine({ uid, parentUid, at, cwd, entries, usage: usage ? this.usage : null });
  }
}

/** The client's input includes cached tokens, and its output excludes thoughts. */
function parseUsage({ tokens, model }: ChatRecord, messageId: string): Usage | null {
  if (!tokens || !emptyToNull(model)) return null;
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

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
