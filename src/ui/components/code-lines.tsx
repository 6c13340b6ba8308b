import type { ComponentChildren } from "preact";
import { Marked } from "./marked.tsx";

interface CodeLinesProps {
  text: string;
  /** The number of its first line. */
  firstLine: number;
  words: readonly string[];
  maxLines?: number;
}

/** The lines of a piece of code that say most about the query, with their numbers. */
export function CodeLines({ text, firstLine, words, maxLines = 5 }: CodeLinesProps) {
  const lines = text.replace(/\s+$/, "").split("\n");
  const start = bestWindow(lines, words, maxLines);
  const shown = lines.slice(start, start + maxLines);
  const indent = Math.min(
    ...shown.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)![0].length),
    40,
  );
  return (
    <code class="code-lines">
      {shown.map((line, i) => (
        <span key={i} class="code-line" data-line={firstLine + start + i}>
          <Marked text={line.slice(indent) || " "} words={words} />
        </span>
      ))}
    </code>
  );
}

/** Where the window of `size` lines begins that has most of the words; the first of equals. */
export function bestWindow(lines: readonly string[], words: readonly string[], size: number): number {
  const scores = lines.map((line) => {
    const lower = line.toLowerCase();
    return words.filter((word) => lower.includes(word)).length;
  });
  let best = { start: 0, score: -1 };
  for (let start = 0; start === 0 || start + size <= lines.length; start++) {
    const score = scores.slice(start, start + size).reduce((sum, one) => sum + one, 0);
    if (score > best.score) best = { start, score };
  }
  return best.start;
}

/** A text with its own lines. It scrolls where it is wider than its place, so the keyboard has to reach it. */
export function Preformatted({ class: name, children }: { class?: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <pre tabIndex={0} class={name}>
      {children}
    </pre>
  );
}
