import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { cleanLabel, isValidAs, keepIfValid } from "../../protocol/outside.ts";
import { outside } from "../../protocol/shape-parts.ts";
import type { AttributedLines } from "./types.ts";

/**
 * Trace records of Agent Trace 0.1 (github.com/cursor/agent-trace): JSON, one record for a commit. A file has
 * conversations, each with its contributor (ai, human, mixed, unknown) and the ranges of lines that came of it.
 */

const agentTraceVersion = "0.1.0";

/** Ranges of one record; the rest is left out. */
const maxRanges = 20_000;

const contributor = z.object({
  type: z.string(),
  model_id: z.optional(z.string().check(z.maxLength(250))),
});
const range = z.object({
  start_line: z.int().check(z.minimum(1)),
  end_line: z.int().check(z.minimum(1)),
  contributor: z.optional(contributor),
});
const traceRecord = z.object({
  version: z.string().check(z.regex(/^[01]\.\d+(?:\.\d+)?$/)),
  vcs: z.optional(z.object({ type: z.string(), revision: z.string().check(z.maxLength(200)) })),
  files: z.array(
    z.object({
      path: outside("file"),
      conversations: z.array(
        z.object({
          url: z.optional(z.string().check(z.maxLength(500))),
          contributor: z.optional(contributor),
          ranges: z.array(range),
        }),
      ),
    }),
  ),
});
type Contributor = z.infer<typeof contributor>;
type Conversation = z.infer<typeof traceRecord>["files"][number]["conversations"][number];

/** Who wrote lines, as a trace record says; paths from the top of the repository. */
interface TraceRecord {
  /** The whole hash of a git commit; null: the record names none. */
  commit: string | null;
  lines: AttributedLines[];
}

/** The records of a file: one, an array of them, or one on each line. */
export interface TraceFile {
  traces: TraceRecord[];
  /** What is no trace record. @see line from 1; of an array, the place in it */
  problems: { line: number; reason: string }[];
}

export function readTraces(text: string): TraceFile {
  const traces: TraceRecord[] = [];
  const problems: TraceFile["problems"] = [];
  for (const [i, value] of parseJsonValues(text)) {
    const parsed = value === undefined ? null : traceRecord.safeParse(value);
    if (parsed?.success) traces.push(convertToTrace(parsed.data));
    else problems.push({ line: i + 1, reason: describeParseError(parsed) });
  }
  return { traces, problems };
}

function describeParseError(parsed: ReturnType<typeof traceRecord.safeParse> | null): string {
  const issue = parsed?.error?.issues[0];
  return issue === undefined ? "not JSON" : `not a trace record: ${issue.path.join(".")}: ${issue.message}`;
}

/** undefined: not JSON. */
function* parseJsonValues(text: string): Generator<[place: number, value: unknown]> {
  const whole = parseJsonOrUndefined(text);
  if (Array.isArray(whole)) yield* whole.entries();
  else if (whole !== undefined) yield [0, whole];
  else
    for (const [i, line] of text.split("\n").entries())
      if (line.trim() !== "") yield [i, parseJsonOrUndefined(line)];
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function convertToTrace({ vcs, files }: z.infer<typeof traceRecord>): TraceRecord {
  const lines = files.flatMap(({ path, conversations }) =>
    conversations.flatMap(({ ranges, ...conversation }) =>
      ranges.flatMap(({ start_line: first, end_line: last, contributor }): AttributedLines[] =>
        first > last
          ? []
          : [
              {
                path,
                first,
                last,
                ...convertContributor(contributor ?? conversation.contributor, conversation.url),
                call: null,
                person: null,
              },
            ],
      ),
    ),
  );
  const isCommit = vcs?.type === "git" && isValidAs("commit", vcs.revision);
  return { commit: isCommit ? vcs.revision : null, lines: lines.slice(0, maxRanges) };
}

/** Who of `mixed` wrote which part nobody can tell: unknown. */
function convertContributor(
  who: Contributor | undefined,
  url: string | undefined,
): Pick<AttributedLines, "author" | "tool" | "model" | "session"> {
  if (who?.type !== "ai") {
    return { author: who?.type === "human" ? "human" : "unknown", tool: null, model: null, session: null };
  }
  const model = who.model_id === undefined ? null : removeModelProvider(who.model_id);
  const { tool, session } = parseSessionUrl(url);
  return {
    author: "agent",
    model: model && cleanLabel("model", model),
    tool: tool && cleanLabel("tool", tool),
    session: keepIfValid("reference", session),
  };
}

/** A commit's attribution to write as a trace record. Times are milliseconds since the epoch. */
export interface TraceToWrite {
  commit: string;
  at: number;
  /** They do not overlap. */
  lines: readonly AttributedLines[];
  /** Pommel's. */
  version: string;
}

/** A trace record; the same attribution gives the same one. Calls are left out, the format has none. */
export function buildTraceRecord({ commit, at, lines, version }: TraceToWrite) {
  const files = new Map<string, Map<string, Conversation>>();
  for (const { path, first, last, author, ...who } of lines) {
    const url = author === "agent" ? makeSessionUrl(who) : undefined;
    const model_id = author === "agent" && who.model !== null ? addModelProvider(who.model) : undefined;
    const contributor = {
      type: author === "agent" ? "ai" : author,
      ...(model_id !== undefined && { model_id }),
    };
    const file = files.get(path) ?? new Map<string, Conversation>();
    files.set(path, file);
    const key = JSON.stringify([url, contributor]);
    const conversation = file.get(key) ?? { ...(url !== undefined && { url }), contributor, ranges: [] };
    file.set(key, conversation);
    const before = conversation.ranges.at(-1);
    if (before?.end_line === first - 1) before.end_line = last;
    else conversation.ranges.push({ start_line: first, end_line: last });
  }
  return {
    version: agentTraceVersion,
    id: makeTraceId(commit),
    timestamp: new Date(at).toISOString(),
    vcs: { type: "git", revision: commit },
    tool: { name: "pommel", version },
    files: [...files].map(([path, conversations]) => ({ path, conversations: [...conversations.values()] })),
  };
}

/** A UUID of version 8 (RFC 9562): a commit has one record. */
function makeTraceId(commit: string): string {
  const hex = createHash("sha256").update(`agent-trace:${commit}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

const ownScheme = "pommel:session";
const unknownTool = "agent";

/** Where a session is: our own scheme, as it has no address on the web; or the one that another tool gave. */
function makeSessionUrl({ tool, session }: Pick<AttributedLines, "tool" | "session">): string | undefined {
  if (session === null && tool === null) return undefined;
  if (session !== null && tool === null && /^\w+:/.test(session) && URL.canParse(session)) return session;
  return [ownScheme, tool ?? unknownTool, ...(session === null ? [] : [session])]
    .map(encodeUrlPart)
    .join("/");
}

const encodeUrlPart = (text: string, i: number) => (i === 0 ? text : encodeURIComponent(text));

function parseSessionUrl(url: string | undefined): Pick<AttributedLines, "tool" | "session"> {
  if (url === undefined || url === "") return { tool: null, session: null };
  const [, tool, session] = /^pommel:session\/([^/]+)(?:\/(.+))?$/.exec(url) ?? [];
  if (tool === undefined) return { tool: null, session: url };
  try {
    const name = decodeURIComponent(tool);
    return {
      tool: name === unknownTool ? null : name,
      session: session === undefined ? null : decodeURIComponent(session),
    };
  } catch {
    // An escape that is none.
    return { tool: null, session: url };
  }
}

/** Providers by the names of their models, as models.dev has them. */
const providers: readonly (readonly [name: RegExp, provider: string])[] = [
  [/^claude\b/, "anthropic"],
  [/^(?:gpt|o\d|codex|chatgpt)\b/, "openai"],
  [/^gemini\b/, "google"],
];
const maxModelId = 250;

/** `provider/model`; without a provider where nobody can tell; undefined for a name that is too long. */
function addModelProvider(model: string): string | undefined {
  const provider = providers.find(([name]) => name.test(model))?.[1];
  const id = provider === undefined ? model : `${provider}/${model}`;
  return id.length <= maxModelId ? id : undefined;
}

/** As the agent names the model itself. */
function removeModelProvider(id: string): string {
  const bare = id.slice(id.indexOf("/") + 1);
  return addModelProvider(bare) === id ? bare : id;
}
