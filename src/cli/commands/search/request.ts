import { PommelError } from "../../../project/errors.ts";
import { levelNames } from "../../../project/levels.ts";
import type { Project } from "../../../project/paths.ts";
import type { SearchAllRequest, SearchRequest } from "../../../protocol/routes.ts";
import type { TranscriptSearchRequest } from "../../../protocol/sessions.ts";
import { chunkKinds, chunkTypes, searchModes } from "../../../protocol/values.ts";

/** What is asked of `pm search`, by the words and options of its command line. */

export interface SearchOptions {
  limit?: number;
  full?: boolean;
  explain?: boolean;
  level?: string[];
  path?: string[];
  language?: string[];
  exact?: boolean;
  regex?: boolean;
  metrics?: boolean;
  allProjects?: boolean;
  since?: string;
  until?: string;
  type?: string[];
  kind?: string[];
  file?: string[];
  session?: string;
  commit?: string;
  event?: string;
  branch?: string;
  agent?: string;
  mode?: string;
}

type Scope = "code" | "transcripts" | "all";

export interface Search {
  scope: Scope;
  /** What is searched: not all of `all` where an option is for one side only. */
  asks: Scope;
  request: SearchAllRequest;
}

const codeOptions = ["level", "path", "language", "exact", "regex", "metrics"] as const;
const transcriptOptions = [
  "since",
  "until",
  "type",
  "kind",
  "file",
  "session",
  "commit",
  "event",
  "branch",
  "agent",
  "mode",
] as const;

/**
 * Reads the words and options of a command line.
 * @param project null outside of one
 * @throws PommelError `usage`
 */
export async function readSearch(
  project: Project | null,
  words: readonly string[],
  options: SearchOptions,
): Promise<Search> {
  const scope = scopeOf(words);
  const query = (scope === null ? words : words.slice(1)).join(" ").trim();
  if (query === "") {
    throw new PommelError("usage", "The query is empty.", 'Say what to find: pm search "where do we retry"');
  }
  const asks = sideOf(scope ?? "all", options);
  return {
    scope: scope ?? "all",
    asks,
    request: {
      q: query,
      ...(await environmentDefaults(project)),
      ...(options.limit !== undefined && { limit: options.limit }),
      explain: options.explain ?? false,
      ...(asks !== "transcripts" && codePart(options)),
      ...(asks !== "code" && transcriptPart(options)),
    },
  };
}

/** `pm search code retry` is about code; `pm search code` looks for "code". `transcripts` is the older name. */
function scopeOf([first, ...others]: readonly string[]): Scope | null {
  if (others.length === 0) return null;
  if (first === "sessions") return "transcripts";
  return first === "code" || first === "transcripts" || first === "all" ? first : null;
}

/** An option that only one side knows limits the search to that side. */
function sideOf(scope: Scope, options: SearchOptions): Scope {
  const ofCode = codeOptions.find((name) => options[name] !== undefined);
  const ofTranscripts = transcriptOptions.find((name) => options[name] !== undefined);
  if (scope === "transcripts" && ofCode) {
    throw new PommelError("usage", `--${ofCode} applies to code only.`, "Try `pm search code ...`.");
  }
  if (scope === "code" && ofTranscripts) {
    throw new PommelError(
      "usage",
      `--${ofTranscripts} applies to sessions only.`,
      "Try `pm search sessions ...`.",
    );
  }
  if (scope !== "all" || Boolean(ofCode) === Boolean(ofTranscripts)) return scope;
  return ofCode ? "code" : "transcripts";
}

function codePart(options: SearchOptions): Omit<SearchRequest, "q"> {
  if (options.exact && options.regex) {
    throw new PommelError("usage", "A query is either --exact or --regex.", "Omit one of them.");
  }
  return {
    ...(options.exact && { match: "exact" }),
    ...(options.regex && { match: "regex" }),
    ...(options.level && { level: options.level.map((name) => oneOf(levelNames, "level", name)) }),
    ...(options.path && { path: options.path }),
    ...(options.language && { language: options.language }),
  };
}

function transcriptPart(options: SearchOptions): Omit<TranscriptSearchRequest, "q"> {
  const { since, until, type, kind, file, session, commit, event, branch, agent, mode } = options;
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(type && { type: type.map((name) => oneOf(chunkTypes, "type", name)) }),
    ...(kind && { kind: kind.map((name) => oneOf(chunkKinds, "kind", name)) }),
    ...(file && { file }),
    ...(session !== undefined && { session }),
    ...(commit !== undefined && { commit }),
    ...(event !== undefined && { event }),
    ...(branch !== undefined && { branch }),
    ...(agent !== undefined && { agent }),
    ...(mode !== undefined && { mode: oneOf(searchModes, "mode", mode) }),
  };
}

function oneOf<const T extends string>(known: readonly T[], what: string, name: string): T {
  const found = known.find((one) => one === name);
  if (found === undefined) {
    throw new PommelError("usage", `Unknown ${what}: ${name}.`, `Choose from: ${known.join(", ")}.`);
  }
  return found;
}

/** The daemon knows the configuration, but not the environment of this command. */
async function environmentDefaults(project: Project | null): Promise<Pick<SearchRequest, "limit" | "level">> {
  if (!process.env.POMMEL_SEARCH_LIMIT && !process.env.POMMEL_SEARCH_LEVELS) return {};
  const { loadConfig } = await import("../../../project/config/config.ts");
  const { config } = loadConfig(project);
  return { limit: config["search.limit"], level: config["search.levels"] };
}
