/**
 * The console blocks of the documentation. A block is run, line by line, unless a comment above it says why not:
 *
 *   <!-- not run: needs Docker -->
 *   <!-- exits with 2 -->
 *
 * What stands below a command is what it prints on stdout; a last line `…` leaves the rest out. A command with nothing below
 * it is run, and shown without its output.
 */

export interface Example {
  /** As typed, without the comment that explains it. */
  command: string;
  /** As the page has it. */
  typed: string;
  /** The page's lines below it; null: its output is not shown. */
  shown: readonly string[] | null;
}

export interface ExampleBlock {
  /** Of the opening fence, from 1. */
  line: number;
  examples: readonly Example[];
  /** Null: it is run. */
  notRun: string | null;
  /** What its commands exit with. */
  exitCode: number;
}

const fencedBlock = /^```console\n([\s\S]*?)^```$/gm;
const exitCodeAbove = /<!-- exits with (\d) -->\n+$/;
const reasonAbove = /<!-- not run: ([^\n]+?) -->\n+$/;
/** A comment of the shell, which stands two spaces after the command at least. */
const trailingComment = /\s{2,}# .*$/;
const elision = "…";

export function readExampleBlocks(page: string): ExampleBlock[] {
  return [...page.matchAll(fencedBlock)].map((found) => {
    const above = page.slice(0, found.index);
    return {
      line: above.split("\n").length,
      examples: readExamples(found[1] ?? ""),
      notRun: reasonAbove.exec(above)?.[1] ?? null,
      exitCode: Number(exitCodeAbove.exec(above)?.[1] ?? 0),
    };
  });
}

function readExamples(block: string): Example[] {
  const examples: { command: string; typed: string; shown: string[] | null }[] = [];
  for (const text of block.trimEnd().split("\n")) {
    const last = examples.at(-1);
    if (text.startsWith("$ "))
      examples.push({ typed: text, command: text.slice(2).replace(trailingComment, ""), shown: null });
    else if (last !== undefined) {
      last.shown ??= [];
      last.shown.push(text);
    }
  }
  return examples.map((one) => ({ ...one, shown: one.shown && dropBlankEnd(one.shown) }));
}

const dropBlankEnd = (lines: readonly string[]): string[] => lines.join("\n").trimEnd().split("\n");

/**
 * Whether a page's lines are what was printed, but for how long something took. A search on a busy machine leaves out what git
 * does not say in time about a commit, at the end of its line: the page may have it.
 */
export const isShownRight = (shown: readonly string[], wanted: readonly string[]): boolean =>
  shown.length === wanted.length &&
  shown.every((text, i) => {
    const printed = hideTimes(wanted[i]!);
    return hideTimes(text) === printed || text.replace(commitFate, "") === printed;
  });

const commitFate = /(?<=^ +Led to [0-9a-f]{8} ".*") \(.*\)$/;

const hideTimes = (text: string): string => text.replaceAll(/\b[\d.,]+ (?:ms|s)\b/g, "<time>");

/** What a page should show of an output: as many lines of it as the page shows now. */
export function chooseShown(shown: readonly string[], output: string): string[] {
  const lines = output
    .trimEnd()
    .split("\n")
    .map((text) => text.trimEnd());
  const isCut = shown.at(-1) === elision;
  return isCut && shown.length - 1 < lines.length ? [...lines.slice(0, shown.length - 1), elision] : lines;
}

/** A page in which examples show these outputs. */
export function replaceShown(page: string, changed: ReadonlyMap<Example, readonly string[]>): string {
  let written = page;
  for (const [{ typed, shown }, wanted] of changed) {
    if (shown === null) continue;
    written = written.replace([typed, ...shown].join("\n"), () => [typed, ...wanted].join("\n"));
  }
  return written;
}

/** A command line as a shell would split it; null: it needs a shell. */
export function splitCommandLine(command: string): string[] | null {
  const words: string[] = [];
  const token = /\s+|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|([^\s'"|&;<>()$`\\*?[\]#]+)/gy;
  let word: string | null = null;
  while (token.lastIndex < command.length) {
    const found = token.exec(command);
    if (found === null) return null;
    const [whole, single, double, plain] = found;
    const text = single ?? double?.replaceAll(/\\(.)/g, "$1") ?? plain;
    if (text !== undefined) word = (word ?? "") + text;
    else if (word !== null && whole.trim() === "") {
      words.push(word);
      word = null;
    }
  }
  return word === null ? words : [...words, word];
}
