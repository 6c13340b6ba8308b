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
function* proseLines(text: string): Iterable<string> {
  let isCode = false;
  for (const whole of ends(text).split("\n")) {
    const line = whole.slice(0, maxLineLength);
    if (fence.test(line)) isCode = !isCode;
    else if (!isCode && isProse(line)) yield plainLine(line);
  }
}

/** Sentences in order; an item of a list is one, or several. */
export function* sentencesOf(text: string): Iterable<string> {
  for (const line of proseLines(text)) {
    for (const part of line.split(sentenceEnd)) {
      const sentence = part.trim();
      if (sentence !== "") yield sentence;
    }
  }
}

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

function ends(text: string): string {
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

/** "**Fix:** use [the index](https://...)" is "Fix: use the index". */
export function plainLine(line: string): string {
  return line
    .replace(marker, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, "")
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, "$1")
    .replace(/<[^<>\n]{1,80}>/g, "")
    .replace(/^(?:\s|>|[✓✅❌✗✘🎉🚀]|⚠️?)+/u, "")
    .replace(/\s+/g, " ")
    .trim();
}

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
