import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { findBestWindow } from "./best-window.ts";
import { Marked } from "./marked.tsx";

interface CodeLinesProps {
  text: string;
  /** The number of its first line. */
  firstLine: number;
  words: readonly string[];
  maxLines: number;
}

/** The lines of a piece of code that say most about the query, with their numbers. */
export function CodeLines({ text, firstLine, words, maxLines }: CodeLinesProps) {
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

/** "+12 −3". */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="diff-count">
      {added > 0 && <span class="added">+{added.toLocaleString("en")}</span>}
      {removed > 0 && <span class="removed">−{removed.toLocaleString("en")}</span>}
    </span>
  );
}
