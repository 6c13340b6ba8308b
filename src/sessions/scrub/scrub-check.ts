import type { Scrubber } from "../../redact/scrubber.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionIdsAfter } from "../../store/memory/privacy/rewrite.ts";
import { sessionById } from "../../store/memory/sessions/sessions.ts";
import { summariesOf } from "../../store/memory/sessions/summaries.ts";
import { storedTurns } from "../turn-content.ts";
import { cleanLines } from "./redact-stored.ts";

/** What scrubbing again would remove. */
export interface ScrubCheck {
  /** Places by rule, the most frequent first. */
  rules: { rule: string; type: string; places: number }[];
  /** Sessions with any. */
  sessions: number;
}

/** Finds what the current rules would remove from the store. Changes nothing. */
export function checkMemory(
  memory: Memory,
  scrubber: Scrubber,
  onProgress?: (done: number, total: number) => void,
): ScrubCheck {
  const places = new Map<string, { rule: string; type: string; places: number }>();
  let found = 0;
  const look = (text: string | null, name?: string): string => {
    for (const { rule, type } of text === null ? [] : scrubber.find(text, name)) {
      const entry = places.get(rule) ?? { rule, type, places: 0 };
      entry.places++;
      places.set(rule, entry);
      found++;
    }
    return text ?? "";
  };
  let sessions = 0;
  const ids = sessionIdsAfter(memory, 0);
  for (const [done, id] of ids.entries()) {
    onProgress?.(done, ids.length);
    const session = sessionById(memory, id);
    if (session === null) continue;
    const before = found;
    for (const text of [session.title, session.cwd, session.branch]) look(text);
    for (const { lines, branch } of storedTurns(memory, id)) {
      cleanLines(lines, look);
      look(branch);
    }
    for (const { text } of summariesOf(memory, id)) look(text);
    if (found > before) sessions++;
  }
  for (const { note, branch } of listAnnotations(memory)) {
    look(note);
    look(branch);
  }
  return {
    rules: [...places.values()].sort((a, b) => b.places - a.places || (a.rule < b.rule ? -1 : 1)),
    sessions,
  };
}
