import * as z from "zod/mini";

/** The lines of a memory's export (docs/export.md). */

const kinds = ["session", "turn", "note", "event", "checkpoint", "attribution"] as const;
export type Kind = (typeof kinds)[number];

export const fileVersion = 1;
const format = "pommel-memory";

export const firstLine = `${JSON.stringify({ format, version: fileVersion })}\n`;

/** Without it the file was cut off. */
export const lastLine = (records: number) => `${JSON.stringify({ end: true, records })}\n`;

const headShape = z.object({ format: z.literal(format), version: z.int() });
const endShape = z.object({ end: z.literal(true), records: z.int() });
const recordShape = z.object({
  kind: z.enum(kinds),
  /** Of a turn. */
  session: z.optional(z.string().check(z.minLength(1))),
  record: z.record(z.string(), z.unknown()),
});
export type MemoryLine = z.infer<typeof recordShape>;

function parsed<T>(shape: z.ZodMiniType<T>, line: string): T | null {
  try {
    const read = shape.safeParse(JSON.parse(line));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** The version that the first line names; null: it is another file. */
export const versionOf = (line: string) => parsed(headShape, line)?.version ?? null;
/** How many records the last line names; null: it is another line. */
export const endOf = (line: string) => parsed(endShape, line)?.records ?? null;
/** null: it is not understood. */
export const readLine = (line: string): MemoryLine | null => parsed(recordShape, line);
