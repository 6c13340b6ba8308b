import { createHash } from "node:crypto";
import { isSecretValue } from "./checks/checks.ts";
import { looksLikeWords, looksRandom } from "./checks/randomness.ts";
import { createFinder } from "./finder.ts";
import { type PatternSources, rulesFrom } from "./patterns/patterns-file.ts";
import { placeholders, stopper } from "./patterns/rule.ts";
import type { Scrubber, SecretMatch } from "./scrubber.ts";

/** Bump when detection changes without a pattern change. */
const codeVersion = 1;

/** A replacement may expose another match; this bounds adversarial input. */
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

/** Add `by` to positions from `from` on to get the original position. */
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

/** Replaces every span with one stopper. Spans may contain each other but not overlap otherwise. */
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

/** Maps positions in the hidden text to the original; call it with ascending positions. */
function mapBack(shift: readonly Shift[]): (position: number) => number {
  let next = 0;
  return (position) => {
    while (next < shift.length && shift[next]!.from <= position) next++;
    return next === 0 ? position : position + shift[next - 1]!.by;
  };
}

/** Merges both lists in order and drops matches that a later one contains. */
function absorb(before: readonly SecretMatch[], fresh: readonly SecretMatch[]): SecretMatch[] {
  const kept = before.filter(
    (old) => !fresh.some((match) => match.start <= old.start && old.end <= match.end),
  );
  return [...kept, ...fresh].sort((a, b) => a.start - b.start);
}

/** At maxRepeated so many different secrets of a text are searched for again. */
const maxRepeated = 50;

/**
 * Adds every other occurrence of a found secret: a secret identified by a name is the same secret without it. Skips
 * values that could be a word.
 */
function withRepetitions(text: string, matches: readonly SecretMatch[]): SecretMatch[] {
  const known = new Map<string, SecretMatch>();
  for (const match of matches) {
    if (known.size === maxRepeated) break;
    const secret = text.slice(match.start, match.end);
    if (looksRandom(secret) && !looksLikeWords(secret) && !known.has(secret)) known.set(secret, match);
  }
  const all = [...matches];
  for (const [secret, { rule, type }] of known) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      all.push({ rule, type, start: at, end: at + secret.length });
    }
  }
  if (all.length === matches.length) return all;
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: SecretMatch[] = [];
  for (const match of all) {
    const last = merged.at(-1);
    if (last === undefined || match.start >= last.end) merged.push({ ...match });
    else last.end = Math.max(last.end, match.end);
  }
  return merged;
}

const revealingNames: readonly { name: RegExp; kind: "password" | "token"; type: string }[] = [
  { name: /(?:password|passwd|passphrase|passcode|pwd|(?:^|_)pass)$/, kind: "password", type: "PASSWORD" },
  {
    name: /(?:api|secret|access|auth|account|encryption|signing|private|master|license)_?key$/,
    kind: "token",
    type: "API_KEY",
  },
  { name: /(?:client_)?secret(?:_(?:access_)?key|_key_base|_token)?$/, kind: "token", type: "SECRET" },
  { name: /token$/, kind: "token", type: "TOKEN" },
  { name: /credentials?$/, kind: "token", type: "CREDENTIAL" },
  { name: /^(?:proxy_)?authorization$/, kind: "token", type: "AUTHORIZATION" },
  { name: /^(?:set_)?cookies?$/, kind: "token", type: "COOKIE" },
];

/** Longer values are not judged by their name alone. Characters. */
const maxNamedLength = 8_000;

/** The secret type that a value's name implies; null when it is not a secret. */
function namedSecretType(name: string, value: string): string | null {
  if (value.length > maxNamedLength || (value.includes("\n") && value.length > 400)) return null;
  const plain = name
    .replace(/^-+/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s.-]+/g, "_")
    .replace(/_?[0-9]{1,2}$/, "")
    .toLowerCase();
  for (const { name: pattern, kind, type } of revealingNames) {
    if (!pattern.test(plain)) continue;
    const bare = type === "AUTHORIZATION" ? value.replace(/^[A-Za-z]+ +/, "") : value;
    return isSecretValue(kind, bare) ? type : null;
  }
  return null;
}
