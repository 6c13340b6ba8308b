import { expect, it } from "vitest";
import { searchRequest, transcriptSearchRequest } from "../../../features/search/operation.ts";
import { searchCodeInput, searchSessionsInput } from "./shapes-search.ts";

/** What else a tool calls a field; null: it is nothing for agents. */
const elsewhere: Readonly<Record<string, string | null>> = {
  q: "query",
  session: "session_id",
  match: "regex",
  near: null,
  by: null,
  graph_of_first: null,
  explain: null,
};
const elsewhereOfSessions: typeof elsewhere = {
  ...elsewhere,
  file: "files",
  by: "by",
  match: null,
  package: null,
  author: null,
  team: null,
};

it("every filter of a search is an argument of its tool, or is left out on purpose", () => {
  const left = (request: object, input: object, names: typeof elsewhere) =>
    Object.keys(request).filter((name) => names[name] !== null && !((names[name] ?? name) in input));
  expect(left(searchRequest().shape, searchCodeInput.shape, elsewhere)).toEqual([]);
  expect(left(transcriptSearchRequest().shape, searchSessionsInput.shape, elsewhereOfSessions)).toEqual([]);
});
