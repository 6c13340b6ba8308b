import { useState } from "preact/hooks";

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
