import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Marked } from "./marked.tsx";
import { formatCount } from "./words.ts";

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
  const start = findBestWindow(lines, words, maxLines);
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
export function findBestWindow(lines: readonly string[], words: readonly string[], size: number): number {
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

/** Copies a text, which may have to be asked for first, and says so. */
export function CopyButton({ label, text }: { label: string; text: () => string | Promise<string> }) {
  const [state, setState] = useState<"" | "Copied" | "No answer" | "Not allowed by the browser">("");
  const copied = async () => {
    const given = await text();
    return navigator.clipboard.writeText(given).then(
      () => "Copied" as const,
      () => "Not allowed by the browser" as const,
    );
  };
  const copy = async () => {
    setState(await copied().catch(() => "No answer" as const));
    setTimeout(() => setState(""), 1500);
  };
  return (
    <button type="button" class="quiet small" onClick={() => void copy()}>
      <span aria-live="polite">{state || label}</span>
    </button>
  );
}

/** A command line to copy into a terminal. */
export function Command({ line }: { line: string }) {
  return (
    <div class="command">
      <code>{line}</code>
      <CopyButton label="Copy" text={() => line} />
    </div>
  );
}

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

/** Changed lines, marked as in a unified diff; the rest of a long one comes on request. */
export function Diff({ lines, shown = 40 }: { lines: readonly string[]; shown?: number }) {
  const [isWhole, setWhole] = useState(lines.length <= shown * 1.5);
  const visible = isWhole ? lines : lines.slice(0, shown);
  return (
    <div class="diff">
      <Preformatted>
        {visible.map((line, i) => (
          <span key={i} class={`diff-line ${kinds[line[0] ?? ""] ?? ""}`}>
            {line || " "}
          </span>
        ))}
      </Preformatted>
      {!isWhole && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show {formatCount(lines.length - shown, "more line")}
        </button>
      )}
    </div>
  );
}

/** "+12 −3". */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="diff-count">
      {added > 0 && <span class="added">+{added.toLocaleString("en")}</span>}
      {removed > 0 && <span class="removed">−{removed.toLocaleString("en")}</span>}
    </span>
  );
}
