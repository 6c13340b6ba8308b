import { expect, it } from "vitest";
import type { SearchResponse } from "../../protocol/results.ts";
import { findPlaceInjections, namesIn } from "./for-search.ts";
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
  const files = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"];
  const places = await told(source(files.map(place)), asked, (path) => path === "a.ts");
  expect(places).toEqual(["b.ts:7 retryLater", "c.ts:7 retryLater", "d.ts:7 retryLater"]);
  expect(await told(source([place("a.ts")]), asked, () => true)).toEqual([]);
});

it("is silent where it is not sure", async () => {
  const glob = { pattern: "**/retry*.ts", path: "", isForFiles: true };
  expect(await told(source([], found("maybe", 0.9, ["retry.ts"])), glob, nothing)).toEqual([]);
  expect(await told(source([], found("found", 0.5, ["retry.ts"])), glob, nothing)).toEqual([]);
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

it("does not take the directories of a search for files for what is looked for", async () => {
  const answer = found("found", 0.9, ["src/retry/retry.ts"]);
  const glob = { pattern: "src/retry/*", path: "", isForFiles: true };
  expect(await told(source([], answer), glob, nothing)).toEqual([]);
  expect(await told(source([], answer), { ...glob, pattern: "src/retry/retry*" }, nothing)).toHaveLength(1);
});

it.each(["**/__init__.py", "src/**/index.*", "**/*.yaml", "src/test_*.py"])(
  "is silent about files that are everywhere: %s",
  async (pattern) => {
    const files = ["a/__init__.py", "src/a/index.ts", "routing.yaml", "src/test_a.py"];
    const asked = { pattern, path: "", isForFiles: true };
    expect(await told(source([], found("found", 0.9, files)), asked, nothing)).toEqual([]);
  },
);

it("is silent about a name that more files have than it would tell of", async () => {
  const files = ["a", "b", "c", "d"].map((dir) => `${dir}/retry.py`);
  const asked = { pattern: "**/retry.py", path: "", isForFiles: true };
  expect(await told(source([], found("found", 0.9, files)), asked, nothing)).toEqual([]);
  expect(await told(source([], found("found", 0.9, files.slice(1))), asked, nothing)).toHaveLength(3);
});

it("does not guess what a pattern means that nothing is called by", async () => {
  const answer = found("found", 0.9, ["src/a.ts"]);
  expect(await told(source([], answer), asked, nothing)).toEqual([]);
});

it("takes no part of a hyphenated word for a name", () => {
  expect(namesIn("copy-button|retryLater|data-animate")).toEqual(["retryLater"]);
});
