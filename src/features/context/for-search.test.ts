import { expect, it } from "vitest";
import type { SearchResponse } from "../../protocol/results.ts";
import { findPlaceInjections } from "./for-search.ts";
import type { PlaceFound, SearchSource } from "./source.ts";

const found = (verdict: string, probability: number, files: string[]) =>
  ({
    verdict,
    probability,
    results: files.map((file) => ({ file, start_line: 3, name: "retry" })),
  }) as unknown as SearchResponse;

const source = (places: PlaceFound[], answer: SearchResponse | null = null): SearchSource => ({
  definitions: async () => places,
  search: async () => answer,
});
const asked = { pattern: "retryLater", path: "", isForFiles: false };
const place = (path: string) => ({ path, line: 7, name: "retryLater" });
const told = async (...args: Parameters<typeof findPlaceInjections>) =>
  (await findPlaceInjections(...args)).map(({ quote }) => quote);
const nothing = () => false;

it("tells where the one definition of a name is, before a search for it", async () => {
  expect(await told(source([place("src/a.ts")]), asked, nothing)).toEqual(["src/a.ts:7 retryLater"]);
});

it("tells of no more than three places, and of none that the session has opened", async () => {
  const files = ["a.ts", "b.ts", "c.ts", "d.ts"];
  const places = await told(source([], found("found", 0.9, files)), asked, (path) => path === "a.ts");
  expect(places).toEqual(["b.ts:3 retry", "c.ts:3 retry", "d.ts:3 retry"]);
  expect(await told(source([place("a.ts")]), asked, () => true)).toEqual([]);
});

it("is silent where it is not sure", async () => {
  expect(await told(source([], found("maybe", 0.9, ["a.ts"])), asked, nothing)).toEqual([]);
  expect(await told(source([], found("found", 0.5, ["a.ts"])), asked, nothing)).toEqual([]);
  expect(await told(source([]), asked, nothing)).toEqual([]);
});

it("is silent about other directories than the one that is searched, and about a search in one file", async () => {
  expect(await told(source([place("src/a.ts")]), { ...asked, path: "lib" }, nothing)).toEqual([]);
  expect(await told(source([place("src/a.ts")]), { ...asked, path: "./src/" }, nothing)).toHaveLength(1);
  expect(await told(source([place("src/a.ts")]), { ...asked, path: "src/a.ts" }, nothing)).toEqual([]);
});

it("names to who looks for files only files of that name", async () => {
  const glob = { pattern: "**/retry*.ts", path: "", isForFiles: true };
  const answer = found("found", 0.9, ["src/backoff.ts", "src/retry-later.ts"]);
  expect(await told(source([], answer), glob, nothing)).toEqual(["src/retry-later.ts:3 retry"]);
});
