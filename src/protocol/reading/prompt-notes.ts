import { shortenText, toPlainLine, trimToWholeCharacters } from "../../base/text/text-size.ts";

/**
 * Which lines of a prompt are notes that its author wrote down: "Note to Pommel: ...", at the prompt's beginning or on a line of
 * its own. What stands in a fence, a quotation, a block in tags, indented code or a pasted log are somebody else's words.
 */

/** Characters of a note that are kept. */
const maxNoteLength = 2_000;

/** Whether a text speaks of notes at all. */
export const mentionsNote = /(?<![\p{L}\p{N}_])note[ \t]+to[ \t]+pommel\b/iu;

/** A list's mark may stand before it, and marks of emphasis around it, as in `**Note to Pommel:** ...`. */
const noteLine =
  /^ {0,3}(?:(?:[-*•]|\d{1,3}[.)])[ \t]+)?[*_]{0,3}note[ \t]+to[ \t]+pommel[ \t]*([*_]*)[ \t]*[:：](.*)$/iu;
const fence = /^ {0,3}(?:[-*•][ \t]+)?(?:```|~~~)/;
const quotation = /^\s*[>│┃▏»]/;
const indented = /^(?: {4}| {0,3}\t)/;
const openingTag = /^\s*<([a-z][\w:.-]*)(?=[\s/>])/i;
const closingTags = /<\/([a-z][\w:.-]*)\s*>/gi;

/** How lines of logs, stack traces, test runs, diffs and tables begin. */
const outputLine = new RegExp(
  `^(?:${[
    String.raw`[[(]?\d{4}-\d\d-\d\d[T ]|[[(]?\d\d:\d\d:\d\d|##?\[|::\w+`,
    String.raw`\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b|(?:debug|info|warn(?:ing)?|error|fatal)(?:\[|: )|\[(?:debug|info|warn|error)\]`,
    String.raw`(?:Step \d+\/\d+ :|#\d+ (?:\[|\d+\.\d|DONE|CACHED))|running \d+ tests?$|test \S+ \.\.\. |collected \d+ items?|E {3,}\S|=== RUN|ok {2,}\t?\S`,
    String.raw`make(?:\[\d+\])?: |\s*(?:Compiling|Download(?:ing|ed)|Installing|Fetching|Collecting|Unpacking|Get:\d+) (?:\S+ )?\S*(?:\d\.\d|:\/\/)\S*$`,
    String.raw`(?:npm|yarn|pnpm) (?:ERR!|error|warn|notice)|[$❯%] \S|\+\+? \S|@@|---|\+\S|diff --git `,
    String.raw`\s+at \S|Traceback|\s+File "|\w*(?:Error|Exception): |[\w./\\-]+(?::\d+){1,2}(?::|\s*[-(])|[\w./\\-]+\(\d+,\d+\)`,
    String.raw`(?:FAIL|PASS|ok \d|not ok \d|[✓✔✗✘×●❌✅])(?=\s)|={4,}|[|┌├└╭╰{}\]]|.*\bexit(?:ed with)? (?:code|status) \d`,
  ].join("|")})`,
);
/** A longer paragraph was pasted. Lines. */
const maxTypedLines = 8;

/** The notes of a prompt, in order, trimmed; empty ones are left out. */
export function parsePromptNotes(prompt: string): string[] {
  if (!mentionsNote.test(prompt)) return [];
  const lines = prompt.split(/\r\n|[\r\n\u2028\u2029]/);
  const isQuoted = markQuotedLines(lines);
  const paragraphs = findParagraphs(lines, isQuoted);
  const isOutput = paragraphs.map(isPasted);
  return paragraphs.flatMap((paragraph, i) => {
    const before = isOutput[i - 1] ?? false;
    const isAmongOutput = isOutput[i]! || (before && (isOutput[i + 1] ?? false));
    // Notes that begin the prompt stand above whatever follows.
    const first = i === 0 ? paragraph.findIndex((line) => !noteLine.test(line)) : 0;
    const typed = isAmongOutput ? paragraph.slice(0, first < 0 ? undefined : first) : paragraph;
    return typed.flatMap(readNote);
  });
}

/** Notes as a prompt of nothing else, in which `parsePromptNotes` finds them again. */
export const writeNotesPrompt = (notes: readonly string[]): string =>
  notes.map((note) => `Note to Pommel: ${note}`).join("\n");

/** Characters. */
const maxShown = 200;

/** What a person is told who has just noted something, and how to take it back. */
export const makeNotedMessage = (notes: readonly string[]): string =>
  `Noted: ${notes.map((note) => shortenText(toPlainLine(note), maxShown)).join("; ")}. \`pm note --undo\` takes it back.`;

function readNote(line: string): string[] {
  const [, marks = "", rest = ""] = noteLine.exec(line) ?? [];
  const note = (marks === "" ? rest.replace(/^\s*(?:[*_]+(?:\s+|$))+/, "") : rest).trim();
  return note === "" ? [] : [trimToWholeCharacters(note.slice(0, maxNoteLength)).trimEnd()];
}

/**
 * Lines in fences and in tags. A block may hold a mark of its own kind, so it goes on to the last one that ends such a block: what
 * is quoted cannot end its quotation.
 */
function markQuotedLines(lines: readonly string[]): boolean[] {
  const isQuoted = lines.map((line) => quotation.test(line));
  const quote = (from: number, to: number) => isQuoted.fill(true, from, to + 1);
  const fences = lines.flatMap((line, i) => (fence.test(line) ? i : []));
  // An open fence goes on to the end.
  if (fences.length > 0) quote(fences[0]!, fences.length % 2 === 0 ? fences.at(-1)! : lines.length);
  const ends = new Map<string, number>();
  for (const [i, line] of lines.entries())
    for (const [, name = ""] of line.matchAll(closingTags)) ends.set(name.toLowerCase(), i);
  for (let i = 0; i < lines.length; i++) {
    const end = ends.get(openingTag.exec(lines[i]!)?.[1]?.toLowerCase() ?? "") ?? -1;
    if (end < i) continue;
    quote(i, end);
    i = end;
  }
  return isQuoted;
}

/** Lines that stand together, without those that are quoted or indented and those that continue such lines. */
function findParagraphs(lines: readonly string[], isQuoted: readonly boolean[]): string[][] {
  const paragraphs: string[][] = [];
  let open: string[] | null = null;
  let isQuotation = false;
  for (const [i, line] of lines.entries()) {
    const isBlank = line.trim() === "";
    if (isBlank || isQuoted[i]) {
      open = null;
      isQuotation = !isBlank && quotation.test(line);
    } else if (!isQuotation) {
      if (open === null && indented.test(line)) isQuotation = true;
      else if (open === null) {
        open = [line];
        paragraphs.push(open);
      } else open.push(line);
    }
  }
  return paragraphs;
}

const isPasted = (paragraph: readonly string[]): boolean =>
  paragraph.length > maxTypedLines || paragraph.some((line) => outputLine.test(line));
