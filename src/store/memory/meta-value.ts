import * as z from "zod/mini";
import type { Memory } from "./memory.ts";

/** A value that `meta` holds as JSON; null: there is none, or another version wrote it, and this one cannot read it. */
export function readMetaValue<T extends z.core.$ZodType>(
  memory: Memory,
  key: string,
  shape: T,
): z.output<T> | null {
  const stored = memory.readMeta(key);
  if (stored === null) return null;
  const parsed = z.safeParse(shape, JSON.parse(stored));
  return parsed.success ? parsed.data : null;
}
