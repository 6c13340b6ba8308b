import { beginningOf } from "../../text/text-size.ts";
import { plainLine } from "../summaries/prose.ts";
import { contentWords, coverage } from "../summaries/words.ts";

/** An option to choose from, as a message lists it. */
export interface Option {
  /** "a", "2". */
  key: string;
  text: string;
  /** It is called an option; a merely numbered item may be anything: a step, a finding, a file. */
  isNamed: boolean;
}

/** A message lists no more. */
const maxOptions = 12;
/** Words with a meaning of an option's title that says enough. */
const fewestWords = 6;
/** Characters of an option that are shown. */
const maxShown = 240;
/** Characters of a message that may be a choice alone. */
const maxChoice = 400;

const lettered = /^[\s#>*|-]*(?:option|approach|alternative)\s+([a-h1-9])\b[\s*_]*[:.)–—-]?[\s*_]*(.*)$/i;
const numbered = /^\s*(?:[-*]\s+)?\**([1-9]|[A-Ha-h])[.)]\**\s+(\S.*)$/;

/** The options that a message lists: "Option A: ...", or else a numbered list. */
export function optionsIn(message: string): Option[] {
  const lines = message.split("\n");
  const named = listed(lines, lettered, true);
  return named.length > 1 ? named : listed(lines, numbered, false);
}

function listed(lines: readonly string[], pattern: RegExp, isNamed: boolean): Option[] {
  const found: Option[] = [];
  lines.forEach((line, i) => {
    const [, key, rest = ""] = pattern.exec(line.slice(0, 600)) ?? [];
    if (key === undefined || found.length >= maxOptions) return;
    const title = plainLine(rest);
    const next = lines.slice(i + 1).find((one) => one.trim() !== "" && !/^\s*(?:```|~~~)/.test(one));
    // A title alone says little.
    const more = next === undefined || contentWords(title).size >= fewestWords ? "" : plainLine(next);
    const text = [title.replace(/[:.]$/, ""), more].filter((part) => part !== "").join(": ");
    // A numbered question is none.
    if (text !== "" && !title.endsWith("?"))
      found.push({ key: key.toLowerCase(), text: beginningOf(text, maxShown), isNamed });
  });
  return found;
}

/** By the word: what is numbered only may be meant. */
const byWord = [
  /\b(?:options?|approach|alternative)\s+#?([a-h1-9])\b/i,
  /\b(?:think|like|prefer)\s+#?([1-9]|[b-h])\s+(?:is|seems|looks|feels)\b.{0,30}\b(?:approach|option|choice|way|best|cleanest)\b/i,
];
const byKey = [
  /\b(?:go with|going with|i like|i prefer|prefer|let['’]s do|choose|pick|take)\s+#?([1-9]|[a-h])(?=[\s.,!)]|$)(?!\s*(?:[,+&]|and\b)\s*\w)/i,
  /^\W*([1-9]|[a-h])\W*$/i,
];
const byName =
  /\b(?:go with|going with|i like|i prefer|let['’]s (?:do|use)|choose|pick)\s+(?:the\s+)?([\p{L}\p{N} `'’_-]{3,60})/iu;
const declined =
  /\b(?:wonder|maybe|not|don['’]?t|doesn['’]?t|won['’]?t|isn['’]?t|why|what|difference|can you|could you)\b|\?/i;

/** The option that a human's message chooses; null: none, or it is unclear which. */
export function chosenIn(message: string, options: readonly Option[]): Option | null {
  if (message.length > maxChoice || options.length < 2) return null;
  const [said = ""] = message.split("\n", 1);
  const patterns = options[0]!.isNamed ? [...byWord, ...byKey] : byWord;
  for (const pattern of patterns) {
    const found = pattern.exec(said);
    if (found === null || declined.test(said)) continue;
    return options.find(({ key }) => key === found[1]!.toLowerCase()) ?? null;
  }
  const name = byName.exec(said);
  if (name === null || declined.test(said)) return null;
  const wanted = contentWords(name[1]!);
  const named = options.filter(({ text }) => wanted.size > 0 && coverage(wanted, contentWords(text)) === 1);
  return named.length === 1 ? named[0]! : null;
}
