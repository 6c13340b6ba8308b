import {
  type FilterChoices,
  makeAuthorFilter,
  nothingKnown,
  readAuthorFilter,
} from "../../../page/components/author-filter.ts";
import type { Filter } from "../../../page/components/chips.tsx";
import { periods } from "../../../page/components/time.tsx";
import type { Shaped } from "../../../protocol/shape-parts.ts";
import { chunkKinds } from "../../../protocol/values.ts";
import type { searchAllRequest } from "../operation.ts";

const allSides = ["code", "sessions", "history"] as const;
type PageSide = (typeof allSides)[number];

/** A filter of the search, and the sides that it limits: what has no such property is not searched. */
interface SearchFilter extends Filter {
  sides: readonly PageSide[];
}

export function searchFilters(known: FilterChoices): SearchFilter[] {
  return [
    { name: "since", label: "Any time", values: periods, sides: ["sessions", "history"] },
    { name: "branch", label: "Any branch", values: known.branches, sides: ["sessions"] },
    { name: "agent", label: "Any agent", values: known.agents, sides: ["sessions"] },
    { ...makeAuthorFilter(known), sides: ["sessions"] },
    {
      name: "kind",
      label: "Any kind",
      values: chunkKinds.map((kind) => [kind, kind.replace("-", " ")]),
      sides: ["sessions"],
    },
    { name: "language", label: "Any language", values: known.languages, sides: ["code"] },
    { name: "path", label: "Path", sides: allSides },
  ];
}

/** What the address asks: the words, where to search, and the filters. */
export interface SearchQuestion {
  words: string;
  /** Empty: the filters exclude each other. */
  sides: readonly PageSide[];
  code: { path?: string[]; language?: string[] };
  /** Of sessions and history. */
  others: {
    since?: string;
    branch?: string;
    agent?: string;
    mine?: true;
    team?: true;
    author?: string;
    /** Word by word in all that was said and done, instead of by meaning. */
    in?: "content";
    kind?: (typeof chunkKinds)[number][];
    file?: string[];
  };
}

export function parseQuestion(query: URLSearchParams): SearchQuestion {
  const given = (name: string) => query.get(name) ?? "";
  const isContent = given("in") === "content";
  const scope = isContent ? "sessions" : given("in");
  const used = searchFilters(nothingKnown).filter(({ name }) => given(name) !== "");
  const sides = allSides.filter(
    (side) =>
      (scope === "" || scope === side) &&
      used.every((filter) => filter.sides.includes(side) && !(isContent && filter.name === "kind")),
  );
  const [since, branch, agent, language, path] = ["since", "branch", "agent", "language", "path"].map(given);
  const kind = chunkKinds.find((one) => one === given("kind"));
  return {
    words: given("q").trim(),
    sides,
    code: { ...(path && { path: [path] }), ...(language && { language: [language] }) },
    others: {
      ...(isContent && { in: "content" as const }),
      ...(since && { since }),
      ...(branch && { branch }),
      ...(agent && { agent }),
      ...readAuthorFilter(query),
      ...(kind && { kind: [kind] }),
      ...(path && { file: [path] }),
    },
  };
}

const kindsOf = {
  code: ["code"],
  sessions: ["sessions", "notes"],
  history: ["commits", "events"],
} as const;

const resultLimit = 20;

/** As the daemon takes it; null: there is nothing to ask, or the filters exclude each other. */
export function buildRequest({
  words: q,
  sides,
  code,
  others,
}: SearchQuestion): Shaped<typeof searchAllRequest> | null {
  if (q === "" || sides.length === 0) return null;
  return { q, limit: resultLimit, only: sides.flatMap((side) => kindsOf[side]), ...code, ...others };
}
