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
