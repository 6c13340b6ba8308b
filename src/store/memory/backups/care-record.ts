import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { writeJson } from "../../../project/files/replace-file.ts";

/** `care.json`: when the memory was last backed up and checked. Beside the memory, not in it: that may be damaged. */

const schema = z.object({
  backup: z.optional(
    z.object({
      /** When it was last looked whether one is needed. Milliseconds. */
      at: z.number(),
      folder: z.string(),
      /** Why the last one failed; null when it did not. */
      problem: z.nullable(z.string()),
    }),
  ),
  check: z.optional(
    z.object({
      at: z.number(),
      /** What is wrong; null when it is sound. */
      problem: z.nullable(z.string()),
    }),
  ),
});
export type CareRecord = z.infer<typeof schema>;

const fileOf = (memoryDb: string) => join(dirname(memoryDb), "care.json");

export function careOf(memoryDb: string): CareRecord {
  try {
    return z.parse(schema, JSON.parse(readFileSync(fileOf(memoryDb), "utf8")));
  } catch {
    // Nothing was done yet; what cannot be read is written anew.
    return {};
  }
}

export function noteCare(memoryDb: string, change: CareRecord): void {
  writeJson(fileOf(memoryDb), { ...careOf(memoryDb), ...change });
}
