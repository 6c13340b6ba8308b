import { type ScrubText, scrubValue } from "../../redact/scrubber.ts";
import { eventsOf, saveEvent } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";

/**
 * Redacts the texts of events: titles, descriptions and branches. They become later versions, so that those of other
 * machines do not bring the old words back.
 * @returns whether anything was changed
 */
export function redactEvents(memory: Memory, clean: ScrubText): boolean {
  return memory.inTransaction(() => {
    let changed = false;
    for (const event of eventsOf(memory)) {
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
  for (const { title, description, branch } of eventsOf(memory)) {
    for (const text of [title, description, branch ?? ""]) look(text);
  }
}
