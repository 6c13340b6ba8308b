import { createHash } from "node:crypto";
import { isLikelyRandom, isLikelyWords } from "./checks/randomness.ts";
import { isProse } from "./checks/values.ts";
import {
  createBudget,
  type DecodingBudget,
  findEncodedTexts,
  maxDepth,
  skipEncodedLetter,
} from "./encoded.ts";
import { createFinder, type SecretFinder } from "./finder.ts";
import { findNamedSecretType } from "./names.ts";
import { loadRules, type PatternSources } from "./patterns/patterns-file.ts";
import { type OnRefused, type SecretRule, stopper } from "./patterns/rule.ts";
import { printedBy, type Scrubber, type SecretMatch } from "./scrubber.ts";
import { buildTextView, findRewrittenParts, type Rewritten } from "./view.ts";

/** Bump when detection changes without a pattern change. */
const codeVersion = 9;

/** Commands and what they print are read together up to so many characters. */
const maxCommand = 500;
const maxPrinted = 4_000;

/** A replacement may expose another match; this bounds adversarial input. */
const maxRounds = 4;

/**
 * What finds secrets by the rules of a fingerprint, as long as a scrubber uses it. Each has 10 MB and takes 30 ms to make, and a
 * daemon has scrubbers of the same rules for itself, for each open project and for each turn of reading sessions.
 */
const finders = new Map<string, WeakRef<SecretFinder>>();

function shareFinder(rules: readonly SecretRule[], fingerprint: string): SecretFinder {
  const known = finders.get(fingerprint)?.deref();
  if (known !== undefined) return known;
  const finder = createFinder(rules);
  finders.set(fingerprint, new WeakRef(finder));
  return finder;
}

/**
 * A scrubber with the patterns of the files and of the library in force.
 * @param onRefused told of what a pattern matched and its check refused
 * @throws PommelError `config_invalid` naming the file, the pattern and what is wrong with it; `unreadable`
 */
export function createScrubber(sources: PatternSources, onRefused?: OnRefused): Scrubber {
  const { rules, fingerprint } = loadRules(sources, onRefused);
  // Only this one tells who asked of what its rules refused.
  const findIn = onRefused === undefined ? shareFinder(rules, fingerprint) : createFinder(rules);
  const version = createHash("sha256").update(`${codeVersion}\n${fingerprint}`).digest("hex").slice(0, 16);

  const find = (text: string, name?: string): SecretMatch[] => {
    if (name?.startsWith(printedBy) === true) return findPrinted(text, name);
    const rewritten = findRewrittenParts(text);
    const named = name === undefined ? null : findNamedSecretType(name, buildTextView(text, rewritten).text);
    if (named !== null) return [{ rule: "named-value", type: named, start: 0, end: text.length }];
    return findWithin(text, rewritten, createBudget(text), 0);
  };

  /** Finds secrets in a text and in what is encoded in it. */
  const findWithin = (
    text: string,
    rewritten: readonly Rewritten[],
    budget: DecodingBudget,
    depth: number,
  ): SecretMatch[] => {
    const encodedMatches: SecretMatch[] = [];
    const explained: CutBounds[] = [];
    for (const encoded of depth < maxDepth ? findEncodedTexts(text, budget) : []) {
      const matches = findWithin(encoded.text, findRewrittenParts(encoded.text), budget, depth + 1);
      for (const match of matches)
        encodedMatches.push({ ...match, ...encoded.mapToOriginal(match.start, match.end) });
      if (encoded.block !== null && matches.length === 0 && isProseOrEncodedProse(encoded.text))
        explained.push(encoded.block);
    }
    let found: SecretMatch[] = [];
    let hidden = rewritten;
    for (let round = 0; round < maxRounds; round++) {
      const view = buildTextView(text, hidden);
      const matches: SecretMatch[] = [];
      for (const match of withRepetitions(view.text, findIn(view.text))) {
        const place = view.mapToOriginal(match.start, match.end);
        place.start = Math.min(skipEncodedLetter(text, place.start), place.end - 1);
        if (!explained.some((block) => contains(block, place))) matches.push({ ...match, ...place });
      }
      if (matches.length === 0) break;
      found = merge(found, matches);
      hidden = [...rewritten, ...found.map(({ start, end }) => ({ start, end, instead: stopper }))];
    }
    return merge(found, encodedMatches);
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
        const number = ledger.numberSecret(type, text.slice(start, end));
        scrubbed += `${text.slice(at, start)}[REDACTED_${type}${number === 1 ? "" : `_${number}`}]`;
        at = end;
      }
      return scrubbed + text.slice(at);
    },
  };
}

/** Whether a text is a sentence, or nothing but one in an encoding. */
function isProseOrEncodedProse(text: string, depth = 1): boolean {
  if (isProse(text)) return true;
  const whole = text.trim().length;
  const inner = depth < maxDepth ? findEncodedTexts(text, createBudget(text)) : [];
  return inner.some(
    ({ block, text: said }) =>
      block !== null && block.end - block.start >= whole && isProseOrEncodedProse(said, depth + 1),
  );
}

interface CutBounds {
  start: number;
  end: number;
}

const contains = (outer: CutBounds, inner: CutBounds) => outer.start <= inner.start && inner.end <= outer.end;

/** At maxRepeated so many different secrets of a text are searched for again. */
const maxRepeated = 50;

/**
 * Adds every other occurrence of a found secret: a secret identified by a name is the same secret without it. Skips
 * values that could be a word.
 */
function withRepetitions(text: string, matches: SecretMatch[]): SecretMatch[] {
  if (matches.length === 0) return matches;
  const known = new Map<string, SecretMatch>();
  for (const match of matches) {
    if (known.size === maxRepeated) break;
    const secret = text.slice(match.start, match.end);
    if (isLikelyRandom(secret) && !isLikelyWords(secret) && !known.has(secret)) known.set(secret, match);
  }
  const all = [...matches];
  for (const [secret, { rule, type }] of known) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      all.push({ rule, type, start: at, end: at + secret.length });
    }
  }
  return all.length === matches.length ? all : merge([], all);
}

/** Both lists in order, with what overlaps as one, called as in the first list. */
function merge(first: SecretMatch[], second: SecretMatch[]): SecretMatch[] {
  if (second.length === 0) return first;
  const ranked = [first, second].flatMap((list, rank) => list.map((match) => ({ match, rank })));
  ranked.sort((a, b) => a.match.start - b.match.start || a.rank - b.rank || b.match.end - a.match.end);
  const merged: typeof ranked = [];
  for (const { match, rank } of ranked) {
    const last = merged.at(-1);
    if (last === undefined || match.start >= last.match.end) {
      merged.push({ match, rank });
      continue;
    }
    const { start } = last.match;
    const end = Math.max(last.match.end, match.end);
    const called = rank < last.rank ? match : last.match;
    merged[merged.length - 1] = { match: { ...called, start, end }, rank: Math.min(rank, last.rank) };
  }
  return merged.map(({ match }) => match);
}
