import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { addTo } from "../../base/multimap.ts";
import { cleanLabel, keepIfValid } from "../../protocol/outside.ts";
import type { AttributedLines, ForeignLines } from "./types.ts";

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
 * A hash names a prompt, with `s_` a session (its trace behind `::`), with `h_` a human. Lines without one are unknown.
 * The standard: github.com/git-ai-project/git-ai, specs/git_ai_standard_v3.0.0.md.
 */

/** Below `refs/`. */
export const gitAiRef = "notes/ai";

const maxRanges = 20_000;
/** No file has more lines. */
const maxLines = 10_000_000;

const shortText = z.string().check(z.maxLength(200));
const author = z.object({
  agent_id: z.object({ tool: shortText, id: z.optional(shortText), model: z.optional(shortText) }),
});
const human = z.object({ author: shortText });
const metadata = z.object({
  schema_version: z.string().check(z.regex(/^authorship\/3\./)),
  /** A field of ours, beside the standard's: this note is Pommel's. */
  pommel_version: z.optional(shortText),
  prompts: z._default(z.record(z.string(), z.unknown()), {}),
  sessions: z._default(z.record(z.string(), z.unknown()), {}),
  humans: z._default(z.record(z.string(), z.unknown()), {}),
});

/** The lines that agents wrote, as a note says; none of one that cannot be understood. Paths from the top. */
export function parseAuthorshipLog(note: string): ForeignLines[] {
  return readAuthorshipLog(note).flatMap(({ path, first, last, author, tool, model, session }) =>
    author === "agent" ? [{ path, first, last, tool: tool ?? "", model, session }] : [],
  );
}

/** As `parseAuthorshipLog`, with people's lines. */
export function readAuthorshipLog(note: string): AttributedLines[] {
  const divider = /^---$/m.exec(note);
  if (divider === null) return [];
  const known = readMetadata(note.slice(divider.index + 3));
  if (known === null) return [];
  const lines: AttributedLines[] = [];
  let path: string | null = null;
  for (const line of note.slice(0, divider.index).split("\n")) {
    const [, hash, ranges] = /^ {2}(\S{1,100}) (\S+)$/.exec(line) ?? [];
    if (hash === undefined || ranges === undefined) {
      path = parseNotePath(line);
      continue;
    }
    // A line without a path means nothing.
    const who = path === null ? undefined : findHashAuthor(hash, known);
    if (who === undefined) continue;
    for (const [first, last] of parseLineRanges(ranges)) {
      if (lines.length >= maxRanges) return lines;
      lines.push({ path: path!, first, last, ...who, call: hash.split("::", 2)[1] ?? null });
    }
  }
  return lines;
}

/** The version of Pommel that wrote a note; null: another tool's, or nobody can tell. */
export function findPommelVersionInNote(note: string): string | null {
  const divider = /^---$/m.exec(note);
  return divider === null ? null : (readMetadata(note.slice(divider.index + 3))?.pommel_version ?? null);
}

/** A commit's attribution to write as an authorship log. */
interface LogToWrite {
  hash: string;
  /** Who made the commit: "Name <address>". */
  person: string;
  /** They do not overlap. */
  lines: readonly AttributedLines[];
  /** Pommel's. */
  version: string;
}

/**
 * An authorship log; null where there is nothing to attest, as unknown lines have no entry. The same attribution has the
 * same bytes: a trace id is a hash of the tool call rather than random. Left out are files with a name that the format
 * cannot hold (a line break or a quotation mark), and all but one model of a session, the one with the most lines.
 */
export function writeAuthorshipLog({ hash, person, lines, version }: LogToWrite): string | null {
  const attested = lines.filter(({ author, path }) => author !== "unknown" && !/["\r\n]/.test(path));
  if (attested.length === 0) return null;
  const humans: Record<string, { author: string }> = {};
  const sessions: Record<string, { agent_id: { tool: string; id: string; model: string } }> = {};
  const models = new Map<string, Map<string, number>>();
  const files = new Map<string, Map<string, AttributedLines[]>>();
  for (const line of attested) {
    const file = files.get(line.path) ?? new Map<string, AttributedLines[]>();
    files.set(line.path, file);
    const { tool, id } = toAgentId(line);
    const session = `s_${hashShort(`${tool}:${id}`)}`;
    const name = line.person ?? person;
    const human = `h_${hashShort(name)}`;
    const key =
      line.author === "human" ? human : `${session}::t_${hashShort(`${tool}:${id}:${line.call ?? ""}`)}`;
    addTo(file, key, line);
    if (line.author === "human") humans[human] = { author: name };
    else {
      const counts = models.get(session) ?? new Map<string, number>();
      const model = line.model ?? unknownModel;
      models.set(session, counts.set(model, (counts.get(model) ?? 0) + line.last - line.first + 1));
      const [[main]] = [...counts].sort(([, a], [, b]) => b - a) as [[string, number]];
      sessions[session] = { agent_id: { tool, id, model: main } };
    }
  }
  const metadata = {
    schema_version: "authorship/3.0.0",
    pommel_version: version,
    base_commit_sha: hash,
    prompts: {},
    ...(Object.keys(humans).length > 0 && { humans }),
    ...(Object.keys(sessions).length > 0 && { sessions }),
  };
  const attestations = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, byKey]) => {
      const entries = [...byKey].map(([key, ranges]) => ({ key, ranges: joinNeighbouringRanges(ranges) }));
      entries.sort((a, b) => a.ranges[0]![0] - b.ranges[0]![0]);
      return `${quotePath(path)}\n${entries.map(({ key, ranges }) => `  ${key} ${ranges.map(formatRange).join(",")}\n`).join("")}`;
    });
  return `${attestations.join("")}---\n${JSON.stringify(metadata, null, 2)}\n`;
}

/** What Git AI itself writes where the model is not known. */
const unknownModel = "unknown";
const unknownTool = "agent";

const toAgentId = ({ tool, session }: AttributedLines) => ({ tool: tool ?? unknownTool, id: session ?? "" });

const hashShort = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 14);

/** A name that could be taken for something else in the log. */
const quotePath = (path: string) => (/\s/.test(path) || path === "---" ? `"${path}"` : path);

/** In order, neighbours in one. */
function joinNeighbouringRanges(lines: readonly AttributedLines[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const { first, last } of [...lines].sort((a, b) => a.first - b.first)) {
    const before = ranges.at(-1);
    if (before && before[1] >= first - 1) before[1] = Math.max(before[1], last);
    else ranges.push([first, last]);
  }
  return ranges;
}

const formatRange = ([first, last]: [number, number]) => (first === last ? `${first}` : `${first}-${last}`);

function readMetadata(json: string): z.infer<typeof metadata> | null {
  try {
    return metadata.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

function parseNotePath(line: string): string | null {
  const inQuotes = /^"(.*)"$/.exec(line)?.[1];
  const path = inQuotes ?? line;
  // Only a quoted name can begin with a blank.
  return inQuotes !== undefined || !/^\s/.test(path) ? keepIfValid("file", path) : null;
}

function findHashAuthor(
  hash: string,
  { prompts, sessions, humans }: z.infer<typeof metadata>,
): Omit<AttributedLines, "path" | "first" | "last" | "call"> | undefined {
  if (hash.startsWith("h_")) {
    const { data } = human.safeParse(Object.hasOwn(humans, hash) ? humans[hash] : undefined);
    if (data === undefined) return undefined;
    return {
      author: "human",
      tool: null,
      model: null,
      session: null,
      person: cleanLabel("person", data.author),
    };
  }
  const key = hash.split("::", 1)[0]!;
  const records = key.startsWith("s_") ? sessions : prompts;
  const { data } = author.safeParse(Object.hasOwn(records, key) ? records[key] : undefined);
  if (data === undefined) return undefined;
  const { tool, model, id } = data.agent_id;
  return {
    author: "agent",
    tool: tool === unknownTool ? null : cleanLabel("tool", tool) || null,
    model: model === unknownModel ? null : cleanLabel("model", model ?? "") || null,
    session: keepIfValid("reference", id),
    person: null,
  };
}

function* parseLineRanges(text: string): Generator<[first: number, last: number]> {
  for (const range of text.split(",")) {
    const [, from, to] = /^(\d{1,8})(?:-(\d{1,8}))?$/.exec(range) ?? [];
    const first = Number(from);
    const last = Number(to ?? from);
    if (first >= 1 && last >= first && last <= maxLines) yield [first, last];
  }
}
