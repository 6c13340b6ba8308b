import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { SearchAllRequest, SearchRequest } from "../../../protocol/operations/search.ts";
import { fieldsOf } from "../../../protocol/routes.ts";

/** The request of `pm search`, from the words and options of its command line. */

export interface SearchOptions extends Omit<SearchAllRequest, "q" | "match"> {
  full?: boolean;
  exact?: boolean | undefined;
  regex?: boolean | undefined;
  metrics?: boolean;
  allProjects?: boolean;
}

type Scope = "code" | "transcripts" | "all";

export interface Search {
  scope: Scope;
  /** What is searched: not all of `all` where an option is for one side only. */
  asks: Scope;
  request: SearchAllRequest;
}

const fieldsOfCode = fieldsOf("search");
/** Options that are no fields of a request. */
const alsoOfCode = new Set(["exact", "regex", "metrics"]);
const fieldsOfSessions = fieldsOf("searchTranscripts");

/** What an option limits the search to; null for one that both sides know, or none. */
export function sideOf(option: string): "code" | "sessions" | null {
  const ofCode = alsoOfCode.has(option) || Object.hasOwn(fieldsOfCode, option);
  if (ofCode === Object.hasOwn(fieldsOfSessions, option)) return null;
  return ofCode ? "code" : "sessions";
}

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
  const { full: _, metrics: __, allProjects: ___, exact, regex, ...fields } = options;
  if (exact && regex) {
    throw new PommelError("usage", "A query is either --exact or --regex.", "Omit one of them.");
  }
  const isVerbatim = exact === true || regex === true;
  // Of sessions, only what was said and done is searched word by word; their chunks are made of parts of it.
  const inContent = fields.in === "content" || (scope === "transcripts" && isVerbatim);
  return {
    scope: scope ?? "all",
    asks: asksOf(
      scope ?? "all",
      inContent ? { ...options, in: "content", exact: undefined, regex: undefined } : options,
    ),
    request: {
      q: query,
      ...(await environmentDefaults(project)),
      explain: false,
      ...fields,
      ...(inContent && { in: "content" as const }),
      ...(exact && { match: "exact" as const }),
      ...(regex && { match: "regex" as const }),
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
function asksOf(scope: Scope, options: SearchOptions): Scope {
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : name));
  const ofCode = given.find((name) => sideOf(name) === "code");
  const ofSessions = given.find((name) => sideOf(name) === "sessions");
  if (scope === "transcripts" && ofCode) {
    throw new PommelError("usage", `--${ofCode} applies to code only.`, "Try `pm search code ...`.");
  }
  if (scope === "code" && ofSessions) {
    throw new PommelError(
      "usage",
      `--${ofSessions} applies to sessions only.`,
      "Try `pm search sessions ...`.",
    );
  }
  if (scope !== "all" || Boolean(ofCode) === Boolean(ofSessions)) return scope;
  return ofCode ? "code" : "transcripts";
}

/** The daemon knows the configuration, but not the environment of this command. */
async function environmentDefaults(project: Project | null): Promise<Pick<SearchRequest, "limit" | "level">> {
  if (!process.env.POMMEL_SEARCH_LIMIT && !process.env.POMMEL_SEARCH_LEVELS) return {};
  const { loadConfig } = await import("../../../project/config/config.ts");
  const { config } = loadConfig(project);
  return { limit: config["search.limit"], level: config["search.levels"] };
}
