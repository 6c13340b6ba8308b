import type { SecretMatch } from "../scrubber.ts";
import { looksLikeWords, looksRandom } from "./randomness.ts";

/** How many different secrets of a text are looked for again; more are in no text but one that is made of them. */
const most = 50;

/**
 * The finds, and with them every other place where one of the secrets stands: what a name gave away once is the same
 * secret without the name. Only for what cannot be a word.
 */
export function withRepetitions(text: string, matches: readonly SecretMatch[]): SecretMatch[] {
  const known = new Map<string, SecretMatch>();
  for (const match of matches) {
    if (known.size === most) break;
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
