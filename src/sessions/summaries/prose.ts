import { stopWords } from "../../base/text/tokens.ts";

/** Danish words without meaning of their own, and words that every conversation about code is full of. */
export const fillerWords: ReadonlySet<string> = new Set(
  (
    "af alle alt at da de dem den denne der deres det dette dig din dog du efter eller en end er et for fra før ham " +
    "han har havde her hun hvad hvis hvor ikke ind ja jeg jer kan kun lad man med meget men mig min mod må nej nogle " +
    "nok nu når og også om op os over på selv sig skal som så til ud under var vi vil ved være været " +
    "about after all also already because before both but check code file files first here just let like line make " +
    "makes more need needs new next now one only other out over see still sure test tests then think too two up very want"
  ).split(" "),
);

const word = /[\p{L}\p{N}_]{3,}/gu;

/** The words of a sentence that carry its meaning, each once, in lower case. */
export function extractContentWords(text: string): Set<string> {
  const found = new Set<string>();
  for (const [match] of text.toLowerCase().matchAll(word)) {
    if (!stopWords.has(match) && !fillerWords.has(match) && !/^\d+$/.test(match)) found.add(match);
  }
  return found;
}

/** The share of `words` that `others` have as well, from 0 to 1. */
export function measureOverlap(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  let shared = 0;
  for (const word of words) if (others.has(word)) shared++;
  return shared / words.size;
}

/**
 * The sentences in texts of people and agents: Markdown with code, tables, lists and logs in between. Only prose is
 * kept.
 */

/** Longer texts are read at their beginning and their end. Characters. */
const maxTextLength = 40_000;
/** Of a longer line, which may be data, the beginning. Characters. */
const maxLineLength = 2_000;

const fence = /^\s*(```|~~~)/;
const heading = /^\s*#{1,6}\s/;
const table = /^\s*\|/;
const rule = /^\s*([-*_=─—])\1{2,}\s*$/;
/** Prompts of a shell, lines of a diff, of a log, of a stack trace, or quoted ones. */
const noProse =
  /^\s*(?:[$❯➜%>]\s|[+-]{3}\s|@@|diff --git|at \S+ ?\(|File ".+", line|\d{4}-\d\d-\d\d[T ]\d\d:|\[\w+\]|<\/?[a-z]|[│├└┌╭╰●⎿])/i;
const marker = /^\s*(?:[-*+•]|\d{1,2}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s*)?/;
/** A new sentence: not after "e.g." and its like, nor inside a name such as `node.js`. */
const sentenceEnd =
  /(?<=[。！？])|(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf|fx|f\.eks|bl\.a|dvs|ca|nr)\.)\s+(?=[\p{Lu}\d"'`(*[✓✅])/u;

/** The lines of `text` that may be prose, without their Markdown. */
function* listProseLines(text: string): Iterable<string> {
  let isCode = false;
  for (const whole of keepTextEnds(text).split("\n")) {
    const line = whole.slice(0, maxLineLength);
    if (fence.test(line)) isCode = !isCode;
    else if (!isCode && isProse(line)) yield stripMarkdown(line);
  }
}

/** Sentences in order; an item of a list is one, or several. */
export function* splitSentences(text: string): Iterable<string> {
  for (const line of listProseLines(text)) yield* splitLine(line);
}

/** The sentences of one line. */
export const splitLine = (line: string): string[] =>
  line
    .split(sentenceEnd)
    .map((part) => part.trim())
    .filter((sentence) => sentence !== "");

/** A shorter line ends where its author ended it. Characters. */
const minWrapped = 40;
const ownLine = /^\s*(?:#{1,6}\s|\||>|```|~~~|[A-Z][\w-]+: \S|[a-z]+(?:\([\w ,/-]+\))?!?: \S)/;

/** A text whose lines were wrapped by hand, with a line for each paragraph and item of a list. */
export function joinWrapped(text: string): string {
  const joined: string[] = [];
  let isCode = false;
  let before = "";
  for (const line of text.split("\n")) {
    if (fence.test(line)) isCode = !isCode;
    const isNext =
      !isCode &&
      before.length >= minWrapped &&
      line.trim() !== "" &&
      !marker.test(line) &&
      !ownLine.test(line);
    if (isNext && !ownLine.test(joined.at(-1) ?? "")) joined[joined.length - 1] += ` ${line.trim()}`;
    else joined.push(line);
    before = isCode ? "" : line.trimEnd();
  }
  return joined.join("\n");
}

function keepTextEnds(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength / 2)}\n\n${text.slice(-maxTextLength / 2)}`;
}

function isProse(line: string): boolean {
  if (heading.test(line) || table.test(line) || rule.test(line)) return false;
  return (
    !noProse.test(line) &&
    !/^( {4}|\t)\s*\S/.test(line.replace(marker, (found) => (found.trim() ? "x" : found)))
  );
}

/** "**Fix:** use [the index](https://...)" is "Fix: use the index"; code keeps what it holds. */
export function stripMarkdown(line: string): string {
  return line
    .replace(marker, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(codeSpan)
    .map((part, i) => (i % 2 === 1 ? part : stripInlineMarkdown(part)))
    .join("")
    .replace(/^(?:\s|>|[✓✅❌✗✘🎉🚀]|⚠️?)+/u, "")
    .replace(/\s+/g, " ")
    .trim();
}

const codeSpan = /(`[^`\n]+`)/;

const stripInlineMarkdown = (text: string): string =>
  text
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, "")
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, "$1")
    .replace(/<[^<>\n]{1,80}>/g, "");

/** `https://github.com/owner/name/pull/12#x` is `github.com/…/pull/12`. */
export function shortenUrls(text: string): string {
  return text.replace(/https?:\/\/[^\s<>"'`)\]]+/g, (url) => {
    const [host = "", ...path] = url
      .replace(/^https?:\/\/(?:www\.)?/, "")
      .split(/[?#]/)[0]!
      .split("/");
    const parts = path.filter((part) => part !== "");
    if (parts.length <= 2) return [host, ...parts].join("/");
    return `${host}/…/${parts.slice(-2).join("/")}`;
  });
}

/** Filler between agents' work, and of people to agents, that is not worth reading again. */

/** "Great! ", "You're absolutely right, ". */
const leadIn =
  /^(?:(?:great|perfect|excellent|wonderful|awesome|nice|good(?: (?:point|catch|question|idea|news|call))?|okay|ok|sure|yes|yep|yeah|no problem|alright|right|got it|i see|understood|of course|absolutely|certainly|wow|ah|aha|hmm|done|all done|thanks?(?: you)?|actually|you(?:'re| are) (?:absolutely |totally |completely )?right|perfekt|fint|super|godt|tak|ja|okay|selvfølgelig|du har ret|det er rigtigt)(?:[!.,:;]+|\s+[-–—])\s*)+/i;

/** "Let me check ...", "Now I'll run the tests", "Here's a summary of the changes:". */
const narration =
  /^(?:(?:now|first|next|then|so|and|also|finally|actually|but|wait|hold on)[,:]? )?(?:let me|let's (?:look|check|see|run|start|verify|find|now|first|also|make sure|try|begin|take|read|explore|continue)|i(?:'ll|'m going to| will| need to| want to| should| can|'m) (?:now |also |first |next |start |begin |just )?(?:look|check|run|start|begin|verify|read|search|examine|review|see|investigate|explore|find|create|write|update|add|fix|do|make|implement|analy[sz]e|need|mark|proceed|commit|continue|take|go|help|launch|trace|rewrite|understand|use the)|(?<=now )(?:update|fix|add|run|create|check|verify|write|remove|rewrite|replace|make|read|test|commit|build)|i(?:'ve| have) (?:now )?(?:a (?:clear|good|complete|thorough|full)|all the|everything|enough)|lad mig|nu (?:vil|skal|kigger|tjekker|kører) (?:jeg|vi)|jeg (?:vil(?: nu)?|skal(?: lige)?|kigger|tjekker|læser|kører|starter))(?![a-zæøå])/i;

/** "... — let me check." */
const aside = /\s+[—–-]\s+(?:let me|lad mig|i'll|jeg vil)\s.*$/i;

const announcement =
  /^(?:here(?:'s| is| are)|below (?:is|are)|this is|these are|the following|summary of|changes made|what (?:was|i) (?:changed|did)|her er|nedenfor)[^.]*:?$/i;

/** Only notes for the agent, or only politeness. */
const empty =
  /^(?:all (?:tests|checks) (?:pass|are passing|passed)|lint passes|tests pass|build succeeds|no issues|let me know|feel free|hope this|is there anything|generated with|co-authored-by)\b[^.]{0,60}[.!]?$/i;

/** `sentence` without its lead-in; "" when nothing worth reading is left. */
export function withoutBoilerplate(sentence: string): string {
  const rest = sentence.replace(leadIn, "").replace(aside, "").trim();
  if (narration.test(rest) || announcement.test(rest) || empty.test(rest)) return "";
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** A prompt that says no more than to go on. */
const goOn =
  /^(?:(?:yes|yep|yeah|no|ok|okay|sure|please|go ahead|continue|go on|proceed|do it|do that|do so|just do it|try again|again|retry|next|done|thanks?|thank you|great|perfect|nice|good|cool|lgtm|looks good|commit|push|merge|amend|force|open|create|draft|pr|a|the|and|it|this|that|them|all|now|then|both|changes|branch|ja|nej|tak|fortsæt|godt|fint|super|gør det|kør|prøv igen|igen|og|det)(?:[\s,.!?&+-]+|$))+$/i;

export function isOnlyContinue(prompt: string): boolean {
  return prompt.length < 120 && goOn.test(prompt.trim());
}
