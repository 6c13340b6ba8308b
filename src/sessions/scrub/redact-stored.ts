import type { TranscriptEntry } from "../../agents/agent.ts";
import { type Scrubber, type ScrubText, type SecretLedger, scrubValue } from "../../redact/scrubber.ts";
import { readEvents, saveEvent } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import {
  listTextsOfCommits,
  redactAgentState,
  redactCommit,
  type TextsOfCommit,
} from "../../store/memory/privacy/rewrite.ts";
import type { StoredLine } from "../turn-content.ts";
import { type Commands, scrubEntry } from "./scrub-lines.ts";

/** Removes from a text what must not be stored; `name` is the name of the field. */
export type RedactText = ScrubText;

/** Whether a function that cleans texts changed any since it was last asked. */
export function watchChanges(clean: RedactText): { clean: RedactText; hasChanged(): boolean } {
  let changed = false;
  return {
    clean(text, name) {
      const cleaned = clean(text, name);
      if (cleaned !== text) changed = true;
      return cleaned;
    },
    hasChanged() {
      const was = changed;
      changed = false;
      return was;
    },
  };
}

const noLedger: SecretLedger = { numberSecret: () => 1 };

/**
 * Stored lines, redacted. Ids and times stay.
 * @param namesToo also names of parameters, which should never hold a secret
 */
export function cleanLines(
  lines: readonly StoredLine[],
  clean: RedactText,
  { namesToo = false } = {},
): StoredLine[] {
  const scrubber: Scrubber = {
    version: "",
    scrub: (text, _ledger, name) => clean(text, name),
    find: () => [],
  };
  const commands: Commands = new Map();
  const cleanEntry = (entry: TranscriptEntry): TranscriptEntry => {
    const cleaned = scrubEntry(entry, scrubber, noLedger, commands);
    if (!namesToo || cleaned.kind !== "tool_use") return cleaned;
    return {
      ...cleaned,
      input: cleanKeys(cleaned.input, clean) as Record<string, unknown>,
    };
  };
  return lines.map((line) => ({ ...line, entries: line.entries.map(cleanEntry) }));
}

function cleanKeys(value: unknown, clean: RedactText): unknown {
  if (Array.isArray(value)) return value.map((item) => cleanKeys(item, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleanKeys(item, clean)]));
}

/** Every text in lines, in the order in which they are cleaned. */
export function listTexts(lines: readonly StoredLine[]): string[] {
  const texts: string[] = [];
  cleanLines(lines, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Rows that are put in other words in one transaction. */
const rowsPerTransaction = 500;

/**
 * Redacts what is stored of commits: subjects, authors and branches, and the state of agents when they were made.
 * @returns whether anything was changed
 * @throws the signal's reason when it is aborted
 */
export async function redactCheckpoints(
  memory: Memory,
  clean: ScrubText,
  signal?: AbortSignal,
): Promise<boolean> {
  let changed = false;
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const rows = listTextsOfCommits(memory, after, rowsPerTransaction);
    const last = rows.at(-1);
    if (last === undefined) return changed;
    memory.runInTransaction(() => {
      for (const row of rows) if (redactCheckpoint(memory, row, clean)) changed = true;
    });
    after = last.id;
    // Others wait for the process, and for the database, as well.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Hands over each text that `redactCheckpoints` would change. */
export function readCheckpointTexts(memory: Memory, look: (text: string) => void): void {
  const read: ScrubText = (text) => {
    look(text);
    return text;
  };
  for (let after = 0; ; ) {
    const rows = listTextsOfCommits(memory, after, rowsPerTransaction);
    for (const { subject, author, branch, state } of rows) {
      scrubValue([subject, author, branch], read);
      if (state !== null) scrubValue(state, read);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function redactCheckpoint(
  memory: Memory,
  { id, subject, author, branch, state }: TextsOfCommit,
  clean: ScrubText,
): boolean {
  const texts = [subject, author, branch] as const;
  const cleanTexts = scrubValue(texts, clean);
  if (cleanTexts !== texts) {
    const [subject, author, branch] = cleanTexts;
    redactCommit(memory, id, { subject, author, branch });
  }
  const cleanState = scrubValue(state, clean);
  if (cleanState !== state) redactAgentState(memory, id, cleanState);
  return cleanTexts !== texts || cleanState !== state;
}

/**
 * Redacts the texts of events: titles, descriptions and branches. They become later versions, so that those of other
 * machines do not bring the old words back.
 * @returns whether anything was changed
 */
export function redactEvents(memory: Memory, clean: ScrubText): boolean {
  return memory.runInTransaction(() => {
    let changed = false;
    for (const event of readEvents(memory)) {
      const { title, description, branch } = event;
      const before = { title, description, branch };
      const after = scrubValue(before, clean);
      if (after === before) continue;
      saveEvent(memory, { ...event, ...after, updatedAt: event.updatedAt + 1 });
      changed = true;
    }
    return changed;
  });
}

/** Hands over each text that `redactEvents` would change. */
export function readEventTexts(memory: Memory, look: (text: string) => void): void {
  for (const { title, description, branch } of readEvents(memory)) {
    for (const text of [title, description, branch ?? ""]) look(text);
  }
}
