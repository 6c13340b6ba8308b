import { PommelError } from "../../../base/errors.ts";
import type { Project } from "../../../base/paths.ts";
import { readRequestFields } from "../../../protocol/request-fields.ts";
import { historyKinds, type SearchedKind } from "../../../protocol/values.ts";
import type { HistorySearchRequest, SearchAllRequest, SearchRequest } from "../operation.ts";
import { searchCode, searchHistory, searchTranscripts } from "../operation.ts";

/** The request of `pm search`, from the words and options of its command line. */

export interface SearchOptions extends Omit<SearchAllRequest, "q" | "match" | "near" | "graph_of_first"> {
  full?: boolean;
  exact?: boolean | undefined;
  regex?: boolean | undefined;
  metrics?: boolean;
  allProjects?: boolean;
}

/** A part of an answer to `pm search`; the parts share one request. */
export type SearchSide = "code" | "transcripts" | "history";
const everySide: readonly SearchSide[] = ["code", "transcripts", "history"];

/** What a first word limits the search to, and the part of the answer that has it. `transcripts` is the older name. */
const scopes = {
  code: "code",
  sessions: "transcripts",
  transcripts: "transcripts",
  notes: "transcripts",
  commits: "history",
  checkpoints: "history",
  events: "history",
  all: "all",
} as const satisfies Record<string, SearchSide | "all">;
type ScopeWord = keyof typeof scopes;

export interface SideRequest {
  scope: SearchSide | "all";
  /** What is searched: not all of `all` where an option is for some sides only. */
  asks: readonly SearchSide[];
  request: SearchAllRequest & Pick<HistorySearchRequest, "of">;
}

/** Options that are no fields of a request. */
const alsoOfCode = new Set(["exact", "regex", "metrics"]);
const fieldsOfSide = {
  code: readRequestFields(searchCode.request()),
  transcripts: readRequestFields(searchTranscripts.request()),
  history: readRequestFields(searchHistory.request()),
};

/** The sides that an option limits the search to; null for one that all of them know, or none. */
export function findSides(option: string): readonly SearchSide[] | null {
  if (alsoOfCode.has(option)) return ["code"];
  const sides = everySide.filter((side) => Object.hasOwn(fieldsOfSide[side], option));
  return sides.length === 0 || sides.length === everySide.length ? null : sides;
}

/** How people call a side. */
const names: Readonly<Record<SearchSide, string>> = {
  code: "code",
  transcripts: "sessions",
  history: "commits",
};
export const listSideNames = (sides: readonly SearchSide[]) => sides.map((side) => names[side]);

/**
 * Reads the words and options of a command line.
 * @param project null outside of one
 * @param near where it is asked, from the project's root; "" for the root
 * @throws PommelError `usage`
 */
export async function readSearch(
  project: Project | null,
  words: readonly string[],
  options: SearchOptions,
  near = "",
): Promise<SideRequest> {
  const word = parseScope(words);
  const query = (word === null ? words : words.slice(1)).join(" ").trim();
  if (query === "") {
    throw new PommelError("usage", "The query is empty.", 'Say what to find: pm search "where do we retry"');
  }
  const { full: _, metrics: __, allProjects: ___, exact, regex, ...fields } = options;
  if (exact && regex) {
    throw new PommelError("usage", "A query is either --exact or --regex.", "Omit one of them.");
  }
  const scope = scopes[word ?? "all"];
  const isVerbatim = exact === true || regex === true;
  // Of sessions, only what was said and done is searched word by word; their chunks are made of parts of it.
  const inContent = fields.in === "content" || (scope === "transcripts" && isVerbatim);
  const asks = chooseSides(
    scope,
    inContent ? { ...options, in: "content", exact: undefined, regex: undefined } : options,
  );
  return {
    scope,
    asks,
    request: {
      q: query,
      ...(await readEnvironmentDefaults(project)),
      explain: false,
      ...(near !== "" && { near }),
      ...toScopeRequest(word),
      ...(scope === "all" && asks.length === 2 && { only: asks.flatMap((side) => kindsOf[side]) }),
      ...fields,
      ...(inContent && { in: "content" as const }),
      ...(exact && { match: "exact" as const }),
      ...(regex && { match: "regex" as const }),
    },
  };
}

/** `pm search code retry` is about code; `pm search code` looks for "code". */
function parseScope([first = "", ...others]: readonly string[]): ScopeWord | null {
  return others.length > 0 && Object.hasOwn(scopes, first) ? (first as ScopeWord) : null;
}

const kindsOf: Readonly<Record<SearchSide, SearchedKind[]>> = {
  code: ["code"],
  transcripts: ["sessions"],
  history: ["commits", "events"],
};

function toScopeRequest(word: ScopeWord | null): Pick<SideRequest["request"], "of" | "type" | "by"> {
  if (word === "notes") return { type: ["annotated"], by: "turn" };
  const of = historyKinds.filter((kind) => kind === word);
  return of.length > 0 ? { of } : {};
}

/** Options that only some sides know limit the search to the sides that know all of them, if any does. */
function chooseSides(scope: SearchSide | "all", { only, ...options }: SearchOptions): readonly SearchSide[] {
  const limits = Object.entries(options).flatMap(([name, value]) => {
    const sides = value === undefined ? null : name === "by" ? findSidesOfUnit(value) : findSides(name);
    return sides === null ? [] : [{ name, sides }];
  });
  if (scope !== "all") {
    if (only !== undefined) {
      throw new PommelError("usage", `--only cannot be combined with ${names[scope]}.`, "Omit one of them.");
    }
    const other = limits.find(({ sides }) => !sides.includes(scope));
    if (other === undefined) return [scope];
    const [first] = listSideNames(other.sides);
    throw new PommelError(
      "usage",
      `--${other.name} applies to ${listSideNames(other.sides).join(" and ")} only.`,
      `Try \`pm search ${first} ...\`.`,
    );
  }
  if (only !== undefined) {
    return everySide.filter((side) => only.some((kind) => scopes[kind] === side));
  }
  const shared = everySide.filter((side) => limits.every(({ sides }) => sides.includes(side)));
  if (shared.length > 0) return shared;
  return everySide.filter((side) => limits.some(({ sides }) => sides.includes(side)));
}

/** A file or a chunk is code, a session or a turn is not. */
const findSidesOfUnit = (unit: unknown): readonly SearchSide[] => [
  unit === "file" || unit === "chunk" ? "code" : "transcripts",
];

/** The daemon knows the configuration, but not the environment of this command. */
async function readEnvironmentDefaults(project: Project | null): Promise<Pick<SearchRequest, "limit">> {
  if (!process.env.POMMEL_SEARCH_LIMIT) return {};
  const { loadConfig } = await import("../../../base/config/config.ts");
  const { config } = loadConfig(project);
  return { limit: config["search.limit"] };
}
