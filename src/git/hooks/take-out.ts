import { findBlock, wrapperFor } from "./script.ts";

/** A hook without our lines. */
export function withoutBlock(text: string, within: string, file: string): string {
  const found = findBlock(text, { within }, file);
  return found === null ? text : text.slice(0, found[0]) + text.slice(found[1]);
}

/** The hook in whose place this one is, from its directory; null for one that somebody else wrote, or changed. */
export function keptByWrapper(bare: string): string | null {
  const [, kept] =
    /^# Made by Pommel: the hook that was here is (\S+), and runs as before\.$/m.exec(bare) ?? [];
  if (kept === undefined) return null;
  const { head, tail } = wrapperFor(kept);
  return bare === head + tail ? kept : null;
}
