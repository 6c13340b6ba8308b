import type { Entry } from "../../agents/agent.ts";
import type { Scrubber, ScrubText, SecretLedger } from "../../redact/scrubber.ts";
import type { StoredLine } from "../turn-content.ts";
import { type Commands, scrubEntry } from "./scrub-lines.ts";

/** Removes from a text what must not be stored; `name` is the name of the field. */
export type Clean = ScrubText;

/** Whether a function that cleans texts changed any since it was last asked. */
export function watched(clean: Clean): { clean: Clean; hasChanged(): boolean } {
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

const noLedger: SecretLedger = { numberOf: () => 1 };

/**
 * Stored lines, redacted. Ids and times stay.
 * @param namesToo also names of tools and of their parameters, which should never hold a secret
 */
export function cleanLines(
  lines: readonly StoredLine[],
  clean: Clean,
  { namesToo = false } = {},
): StoredLine[] {
  const scrubber: Scrubber = {
    version: "",
    scrub: (text, _ledger, name) => clean(text, name),
    find: () => [],
  };
  const commands: Commands = new Map();
  const cleanEntry = (entry: Entry): Entry => {
    const cleaned = scrubEntry(entry, scrubber, noLedger, commands);
    if (!namesToo || cleaned.kind !== "tool_use") return cleaned;
    return {
      ...cleaned,
      tool: clean(cleaned.tool),
      input: cleanKeys(cleaned.input, clean) as Record<string, unknown>,
    };
  };
  return lines.map((line) => ({ ...line, entries: line.entries.map(cleanEntry) }));
}

function cleanKeys(value: unknown, clean: Clean): unknown {
  if (Array.isArray(value)) return value.map((item) => cleanKeys(item, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleanKeys(item, clean)]));
}

/** Every text in lines, in the order in which they are cleaned. */
export function textsIn(lines: readonly StoredLine[]): string[] {
  const texts: string[] = [];
  cleanLines(lines, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}
