import * as z from "zod/mini";
import type { ForeignLines } from "./types.ts";

/**
 * Authorship logs of Git AI (its standard authorship/3.0.0), which are git notes under refs/notes/ai: lines by file,
 * a divider, and JSON that says what the hashes mean.
 *
 *     src/main.rs
 *       d9978a8723e02b52 1-4,9-10,12
 *     "src/with spaces.rs"
 *       s_a76964380084ef::t_a3a130d3e145e3 28
 *       h_dca485b1adf836 3
 *     ---
 *     {"schema_version": "authorship/3.0.0", "prompts": {"d9978a8723e02b52": {"agent_id": {...}}}, "sessions": {...}}
 *
 * A hash names a prompt, with `s_` a session (its trace behind `::`), with `h_` a human.
 */

/** Below `refs/`. */
export const gitAiRef = "notes/ai";

const maxRanges = 20_000;
/** No file has more lines. */
const maxLines = 10_000_000;

const short = z.string().check(z.maxLength(200));
const author = z.object({
  agent_id: z.object({ tool: short, id: z.optional(short), model: z.optional(short) }),
});
const metadata = z.object({
  schema_version: z.string().check(z.regex(/^authorship\/3\./)),
  prompts: z._default(z.record(z.string(), z.unknown()), {}),
  sessions: z._default(z.record(z.string(), z.unknown()), {}),
});

/** The lines that agents wrote, as a note says; none of one that cannot be understood. Paths from the top. */
export function parseAuthorshipLog(note: string): ForeignLines[] {
  const divider = /^---$/m.exec(note);
  if (divider === null) return [];
  const known = readMetadata(note.slice(divider.index + 3));
  if (known === null) return [];
  const lines: ForeignLines[] = [];
  let path: string | null = null;
  for (const line of note.slice(0, divider.index).split("\n")) {
    const [, hash, ranges] = /^ {2}(\S{1,100}) (\S+)$/.exec(line) ?? [];
    if (hash === undefined || ranges === undefined) {
      path = pathOf(line);
      continue;
    }
    // A line without a path means nothing; a human's lines do not matter here.
    const who = path === null ? undefined : authorOf(hash, known);
    if (who === undefined) continue;
    for (const [first, last] of rangesOf(ranges)) {
      if (lines.length >= maxRanges) return lines;
      lines.push({ path: path!, first, last, ...who });
    }
  }
  return lines;
}

function readMetadata(json: string): z.infer<typeof metadata> | null {
  try {
    return metadata.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

function pathOf(line: string): string | null {
  const path = /^"(.*)"$/.exec(line)?.[1] ?? line;
  // Nothing that leads out of the working tree.
  const isInside = path !== "" && !/^[\s/]|\0/.test(path) && !path.split("/").includes("..");
  return isInside && path.length <= 4096 ? path : null;
}

function authorOf(hash: string, { prompts, sessions }: z.infer<typeof metadata>) {
  if (hash.startsWith("h_")) return undefined;
  const key = hash.split("::", 1)[0]!;
  const records = key.startsWith("s_") ? sessions : prompts;
  const { data } = author.safeParse(Object.hasOwn(records, key) ? records[key] : undefined);
  if (data === undefined) return undefined;
  const { tool, model, id } = data.agent_id;
  return { tool, model: model || null, session: id || null };
}

function* rangesOf(text: string): Generator<[first: number, last: number]> {
  for (const range of text.split(",")) {
    const [, from, to] = /^(\d{1,8})(?:-(\d{1,8}))?$/.exec(range) ?? [];
    const first = Number(from);
    const last = Number(to ?? from);
    if (first >= 1 && last >= first && last <= maxLines) yield [first, last];
  }
}
