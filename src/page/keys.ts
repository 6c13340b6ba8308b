import { useEffect, useRef } from "preact/hooks";

/** Whether a key is written into a text, or belongs to a dialog. */
export const isKeyTaken = (target: Element): boolean =>
  target.matches("input, textarea, select, [contenteditable]") ||
  document.querySelector("dialog[open]") !== null;

/** Keys of a view, for as long as it is shown; those of the whole page come first. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      const run = latest.current[event.key];
      if (run === undefined || isKeyTaken(event.composedPath()[0] as Element)) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
