import type { MatchSite } from "./checks/place.ts";
import { isHash, isLikelyRandom, isLikelyWords, isRandomToken } from "./checks/randomness.ts";
import { hasPasswordShape, isLikelyPath, isNoValue, isReference } from "./checks/values.ts";
import { createScrubber } from "./create-scrubber.ts";
import type { PatternSources } from "./patterns/patterns-file.ts";

/** A value that a pattern matched and its check took for no secret. */
export interface NearMiss {
  rule: string;
  /** Its beginning and its length: never all of it. */
  masked: string;
  /** The words before it, without whatever else could be a value. */
  context: string;
  /** How much it looks like a secret. */
  score: number;
}

export type Reviewer = (text: string, name?: string) => NearMiss[];

/** Shorter ones are words and numbers. Characters. */
const minLength = 8;
const contextLength = 40;

/**
 * Tells which values of a text are nearly redacted, for a person to decide on.
 * @throws PommelError `config_invalid`
 */
export function createReviewer(sources: PatternSources): Reviewer {
  let refused: { rule: string; place: MatchSite }[] = [];
  const scrubber = createScrubber(sources, (rule, place) => refused.push({ rule, place }));
  return (text, name) => {
    refused = [];
    const removed = scrubber.find(text, name).map(({ start, end }) => text.slice(start, end));
    const byValue = new Map<string, NearMiss>();
    for (const { rule, place } of refused) {
      const value = place.text.slice(place.start, place.end);
      const score = scoreValue(value);
      if (score === 0 || byValue.has(value) || removed.some((other) => other.includes(value))) continue;
      byValue.set(value, { rule, masked: maskValue(value), context: cutContext(place), score });
    }
    return [...byValue.values()];
  };
}

/** 0 for what nobody would take for a secret. */
function scoreValue(value: string): number {
  if (value.length < minLength || /\s/.test(value) || isNoValue(value) || isReference(value)) return 0;
  if (isLikelyPath(value) || isLikelyWords(value) || /[(){}<>]|:\/\//.test(value)) return 0;
  if (hasPasswordShape(value)) return 4;
  if (isHash(value) || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return 1;
  return isRandomToken(value) ? 3 : isLikelyRandom(value) ? 2 : 0;
}

/** A quarter of a value at most, and no more than four characters. */
const maskValue = (value: string): string =>
  `${value.slice(0, Math.min(4, Math.floor(value.length / 4)))}… (${value.length} characters)`;

function cutContext({ text, start }: MatchSite): string {
  const before = text.slice(Math.max(0, start - contextLength), start);
  const line = before.slice(before.search(/[^\r\n]*$/)).trimStart();
  // A word that was cut off, or one that could be a value, is left out.
  return line.replace(/[^\s"'`=:,;()]{8,}/g, (word) => (isLikelyWords(word) ? word : "…"));
}
