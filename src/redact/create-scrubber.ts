import { createHash } from "node:crypto";
import { looksLikeWords, looksRandom } from "./checks/randomness.ts";
import { createFinder } from "./finder.ts";
import { namedSecretType } from "./names.ts";
import { type PatternSources, rulesFrom } from "./patterns/patterns-file.ts";
import { stopper } from "./patterns/rule.ts";
import { printedBy, type Scrubber, type SecretMatch } from "./scrubber.ts";
import { hiddenIn, viewOf } from "./view.ts";

/** Bump when detection changes without a pattern change. */
const codeVersion = 6;

/** Commands and what they print are read together up to so many characters. */
const maxCommand = 500;
const maxPrinted = 4_000;

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
    if (name?.startsWith(printedBy) === true) return findPrinted(text, name);
    const hidden = hiddenIn(text);
    const first = viewOf(text, hidden);
    const named = name === undefined ? null : namedSecretType(name, first.text);
    if (named !== null) return [{ rule: "named-value", type: named, start: 0, end: text.length }];
    let found: SecretMatch[] = [];
    let view = first;
    for (let round = 0; round < maxRounds; round++) {
      const matches = withRepetitions(view.text, findIn(view.text));
      if (matches.length === 0) break;
      const fresh = matches.map((match) => ({ ...match, ...view.back(match.start, match.end) }));
      found = absorb(found, fresh);
      view = viewOf(text, [...hidden, ...found.map(({ start, end }) => ({ start, end, instead: stopper }))]);
    }
    return found;
  };

  /** With the command before it, as a terminal shows it: what `openssl rand` prints is a secret. */
  const findPrinted = (text: string, command: string): SecretMatch[] => {
    if (text.length > maxPrinted) return find(text);
    const prompt = `${command.slice(0, maxCommand).replace(/\s+/g, " ")}\n`;
    return find(prompt + text).flatMap((match) =>
      match.end <= prompt.length
        ? []
        : [{ ...match, start: Math.max(0, match.start - prompt.length), end: match.end - prompt.length }],
    );
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
