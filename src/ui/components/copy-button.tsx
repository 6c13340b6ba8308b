import { useState } from "preact/hooks";

/** Copies a text, and says so. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [state, setState] = useState<"" | "Copied" | "Not allowed by the browser">("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState("Copied");
    } catch {
      setState("Not allowed by the browser");
    }
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
