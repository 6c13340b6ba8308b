import { stemmer } from "stemmer";
import { detachText } from "./detached.ts";
import { escapeRegExp } from "./escape-reg-exp.ts";
import { memoize } from "./memoize.ts";

/**
 * The token stream of the full-text index. FTS5 splits our streams at blanks only; everything it should
 * find is decided here, the same way for code and for queries:
 * an identifier `parseHTTPRequests2` gives itself whole (`parsehttprequests2`) and the stems of its parts
 * (`pars`, `http`, `request`, `2`). Runs of Chinese, Japanese and Korean characters, which have no blanks, give
 * their pairs.
 */

const identifier = /[\p{L}\p{N}\p{M}_$]+/gu;
const identifierPart = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|[\p{Lo}\p{Lm}]+|\p{Lu}/gu;
/** The same where there is nothing but ASCII: V8 looks up no Unicode properties for these. */
const asciiIdentifier = /[\w$]+/g;
const asciiPart = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const ascii = /^[\x00-\x7f]*$/;

const startsInWord = /^[\p{L}\p{N}\p{M}_$]/u;
const endsInWord = /[\p{L}\p{N}\p{M}_$]$/u;

/** Longer runs are data (hashes, base64), unless they are made of words, as names of tests are. Characters. */
const usualLength = 80;
const longestName = 255;
/** Characters for each part of a name, at least: data has one or two. */
const leastForPart = 4;

/** A project's vocabulary is some tens of thousands of words. */
const maxWords = 50_000;

/** The stem of a lower-case word (Porter), memoized. */
export const stem = memoize(maxWords, (word) =>
  detachText(word.length > 2 && /^[a-z]+$/.test(word) ? stemmer(word) : word),
);

/** The common beginning of all words of a stem, such as "retries", "retry" and "retried". Lower-case. */
export function findWordRoot(word: string): string {
  const whole = word.toLowerCase();
  const root = stem(whole).replace(/[iey]$/, "");
  return root.length > 2 && whole.startsWith(root) ? root : whole;
}

export const isAscii = (text: string): boolean => ascii.test(text);

/** The parts of an identifier, lower-case: `parseHTTPRequests` -> parse, http, requests. */
export function splitIdentifier(name: string): string[] {
  return (name.match(isAscii(name) ? asciiPart : identifierPart) ?? []).map((part) => part.toLowerCase());
}

/** `retryLimit`, `RetryLimit`, `retry_limit`: written so, a word means code. */
export const isSpelledAsCode = (word: string): boolean =>
  /[a-z\d][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z\d]_[A-Za-z\d]/.test(word);

/** Every identifier, number or word of a text, as written, in order. */
export function listIdentifiers(text: string): string[] {
  const names = text.match(isAscii(text) ? asciiIdentifier : identifier) ?? [];
  return names.filter((name) => name.length <= usualLength || isMadeOfWords(name));
}

function isMadeOfWords(run: string): boolean {
  if (run.length > longestName) return false;
  const parts = splitIdentifier(run).length;
  return parts > 2 && parts * leastForPart <= run.length;
}

const suffix = /(?<=\p{L})(?:n['’]t|['’](?:s|re|ve|ll|d|m))(?![\p{L}\p{N}_])/giu;

/** A question without what contractions and possessives add to its words: "session's" asks for "session", "don't" for "do". */
export const withoutSuffixes = (question: string): string =>
  /['’]/.test(question) ? question.replace(suffix, " ") : question;

/** A word that a text has: the whole of it, or how it begins, or a part of it. Lower-case. */
export interface HeldWord {
  text: string;
  is: "whole" | "beginning" | "part";
}

/** The words of every text that holds this one: at its ends they may be longer, but not so long that they are data. */
export function listHeldWords(text: string): HeldWord[] {
  const words = listIdentifiers(text);
  const isCutBefore = startsInWord.test(text);
  const isCutBehind = endsInWord.test(text);
  return words.flatMap((word, i): HeldWord[] => {
    const isPart = i === 0 && isCutBefore;
    const isBeginning = i === words.length - 1 && isCutBehind;
    // What is cut off may change how other letters look in lower case.
    if ((isPart || isBeginning) && !isAscii(word)) return [];
    return [{ text: word.toLowerCase(), is: isPart ? "part" : isBeginning ? "beginning" : "whole" }];
  });
}

/** Whether the word's script separates words with blanks. */
export function isSpaced(word: string): boolean {
  return !unspaced.test(word);
}

function listPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** All tokens under which one identifier is found: whole and stems of its parts, each once. */
function tokenizeIdentifier(name: string): string[] {
  const whole = name.toLowerCase();
  if (!isAscii(whole) && !isSpaced(whole)) return [...new Set([whole, ...listPairs(whole)])];
  return [...new Set([whole, ...splitIdentifier(name).map(stem)])];
}

/** The tokens of a text, in its order. */
export const tokenize = (text: string): string[] => listIdentifiers(text).flatMap(tokenizeIdentifier);

/** Which of some tokens a text has. */
export type WordFinder = (text: string) => ReadonlySet<string>;

export const noWords: ReadonlySet<string> = new Set();

/** Only the ends of words are cut by stemming, and "y" becomes "i": what all words of a stem begin with, at least. Characters. */
const sureHead = 3;

/** Finds some tokens in many texts, of which few have any: only words that begin like one of them are cut and stemmed. */
export function createWordFinder(tokens: readonly string[]): WordFinder {
  const wanted = new Set(tokens);
  const heads = tokens.map((token) => token.slice(0, Math.max(1, Math.min(sureHead, token.length - 1))));
  const mayHave = new RegExp(heads.map(escapeRegExp).join("|"));
  const findInName = memoize(maxWords, (name) =>
    mayHave.test(name.toLowerCase()) ? tokenizeIdentifier(name).filter((token) => wanted.has(token)) : [],
  );
  return (text) =>
    mayHave.test(text.toLowerCase()) ? new Set(listIdentifiers(text).flatMap(findInName)) : noWords;
}

const streamOfIdentifier = memoize(maxWords, (name) => detachText(tokenizeIdentifier(name).join(" ")));

/** The token stream of a text, ready for FTS5: tokens separated by blanks. */
export function makeTokenStream(text: string): string {
  let stream = "";
  for (const name of listIdentifiers(text)) {
    const tokens = streamOfIdentifier(name);
    stream += stream === "" ? tokens : ` ${tokens}`;
  }
  return stream;
}

/** A token as a phrase of FTS5, whose syntax has no meaning inside quotes. */
export function toFtsPhrase(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}

/** `parse_http` and `ParseHttp` and "parse http" are the same name: `parsehttp`. */
export function nameKey(name: string): string {
  return splitIdentifier(name).join("");
}

/** Words without meaning of their own in a query. They count only if there are no others. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be been being but by can could did do does doing done for from get gets had has have " +
    "how i if in into is it its me my no not of on or our should so some such than that the their them then " +
    "there these they this those to us used uses using was we were what when where which while who why will " +
    "with would you your"
  ).split(" "),
);
