import { createHash } from "node:crypto";
import { withRepetitions } from "./checks/repetitions.ts";
import { createFinder } from "./finder.ts";
import { namedSecretType } from "./patterns/names.ts";
import { type PatternSources, rulesFrom } from "./patterns/patterns-file.ts";
import { placeholders, stopper } from "./patterns/rule.ts";
import type { Scrubber, SecretMatch } from "./scrubber.ts";

/** Raised when what is found changes without a pattern having changed. */
const codeVersion = 1;

/** What is replaced may bring out more; it ends by itself, and this is when somebody tries to make it not end. */
const maxRounds = 4;

/**
 * A scrubber with the patterns of the files and of the library in force.
 * @throws PommelError `config_invalid` naming the file, the pattern and what is wrong with it; `unreadable`
 */
export function createScrubber(sources: PatternSources): Scrubber {
  const { rules, fingerprint } = rulesFrom(sources);
  const findIn = createFinder(rules);
  const version = createHash("sha256").update(`${codeVersion}\n${fingerprint}`).digest("hex").slice(0, 16);

  const find = (text: string, name?: string): SecretMatch[] => {
    const hidden = hidePlaceholders(text);
    const named = name === undefined ? null : namedSecretType(name, hidden.text);
    if (named !== null) return [{ rule: "named-value", type: named, start: 0, end: text.length }];
    let found: SecretMatch[] = [];
    let searched = hidden.text;
    let shift: Shift[] = hidden.shift;
    for (let round = 0; round < maxRounds; round++) {
      const matches = withRepetitions(searched, findIn(searched));
      if (matches.length === 0) break;
      const back = mapBack(shift);
      const fresh = matches.map((match) => ({ ...match, start: back(match.start), end: back(match.end) }));
      found = absorb(found, fresh);
      ({ text: searched, shift } = hide(text, [...placeholderSpans(text), ...found]));
    }
    return found;
  };

  return {
    version,
    find,
    scrub(text, ledger, name) {
      const matches = find(text, name);
      if (matches.length === 0) return text;
      let scrubbed = "";
      let at = 0;
      for (const { type, start, end } of matches) {
        const number = ledger.numberOf(type, text.slice(start, end));
        scrubbed += `${text.slice(at, start)}[REDACTED_${type}${number === 1 ? "" : `_${number}`}]`;
        at = end;
      }
      return scrubbed + text.slice(at);
    },
  };
}

/** From this position of the searched text on, `by` has to be added to get to the original. */
interface Shift {
  from: number;
  by: number;
}

function hidePlaceholders(text: string): { text: string; shift: Shift[] } {
  return text.includes("[REDACTED_") ? hide(text, placeholderSpans(text)) : { text, shift: [] };
}

function placeholderSpans(text: string): { start: number; end: number }[] {
  if (!text.includes("[REDACTED_")) return [];
  return Array.from(text.matchAll(placeholders), ({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}

/** The text with every span as one stopper. Spans may contain each other but not overlap otherwise. */
function hide(text: string, spans: { start: number; end: number }[]): { text: string; shift: Shift[] } {
  const shift: Shift[] = [];
  let hidden = "";
  let at = 0;
  for (const { start, end } of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    hidden += text.slice(at, start) + stopper;
    shift.push({ from: hidden.length, by: end - hidden.length });
    at = end;
  }
  return { text: hidden + text.slice(at), shift };
}

/** Gives positions of the hidden text in the original; to be asked in rising order. */
function mapBack(shift: readonly Shift[]): (position: number) => number {
  let next = 0;
  return (position) => {
    while (next < shift.length && shift[next]!.from <= position) next++;
    return next === 0 ? position : position + shift[next - 1]!.by;
  };
}

/** Both lists in order, without what a later find contains. */
function absorb(before: readonly SecretMatch[], fresh: readonly SecretMatch[]): SecretMatch[] {
  const kept = before.filter(
    (old) => !fresh.some((match) => match.start <= old.start && old.end <= match.end),
  );
  return [...kept, ...fresh].sort((a, b) => a.start - b.start);
}
