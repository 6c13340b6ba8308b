import { chunkKinds } from "../../../protocol/values.ts";
import type { Filter } from "../../components/chips.tsx";
import { periods } from "../../components/time.tsx";

const allSides = ["code", "sessions", "history"] as const;
type Side = (typeof allSides)[number];

/** A filter of the search, and the sides that it limits: what has no such property is not searched. */
interface SearchFilter extends Filter {
  sides: readonly Side[];
}

export function searchFilters(known: {
  agents: string[];
  branches: string[];
  languages: string[];
}): SearchFilter[] {
  return [
    { name: "since", label: "Any time", values: periods, sides: ["sessions", "history"] },
    { name: "branch", label: "Any branch", values: known.branches, sides: ["sessions"] },
    { name: "agent", label: "Any agent", values: known.agents, sides: ["sessions"] },
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
export interface Question {
  words: string;
  /** Empty: the filters exclude each other. */
  sides: readonly Side[];
  code: { path?: string[]; language?: string[] };
  /** Of sessions and history. */
  others: {
    since?: string;
    branch?: string;
    agent?: string;
    /** Word by word in all that was said and done, instead of by meaning. */
    in?: "content";
    kind?: (typeof chunkKinds)[number][];
    file?: string[];
  };
}

export function questionIn(query: URLSearchParams): Question {
  const given = (name: string) => query.get(name) ?? "";
  const isContent = given("in") === "content";
  const scope = isContent ? "sessions" : given("in");
  const used = searchFilters({ agents: [], branches: [], languages: [] }).filter(
    ({ name }) => given(name) !== "",
  );
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
      ...{ ...(since && { since }), ...(branch && { branch }), ...(agent && { agent }) },
      ...{ ...(kind && { kind: [kind] }), ...(path && { file: [path] }) },
    },
  };
}
