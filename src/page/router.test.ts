import { expect, test } from "vitest";
import { linkTo, linkToCommit, linkToFile, linkToSession, parsePathRest, readRoute } from "./router.ts";

test("reads a path and a query from the fragment", () => {
  const { path, query } = readRoute("#/search?q=a%3Fb+c&in=code");
  expect(path).toBe("/search");
  expect(Object.fromEntries(query)).toEqual({ q: "a?b c", in: "code" });
});

test.each(["", "#", "#code=x"])("takes %j for the first view", (hash) => {
  expect(readRoute(hash).path).toBe("/");
});

test("leaves empty values out of a link", () => {
  expect(linkTo("/sessions", { branch: "", agent: undefined, since: "7 days ago" })).toBe(
    "#/sessions?since=7+days+ago",
  );
});

test.each([
  ["/session/", linkToSession("one/a2 ä?#", 3), "one/a2 ä?#"],
  ["/file/", linkToFile("src/a b?.ts", 12), "src/a b?.ts:12"],
  ["/commit/", linkToCommit("abc"), "abc"],
])("what a link under %s names comes back from it", (prefix, link, rest) => {
  expect(parsePathRest(readRoute(link).path, prefix)).toBe(rest);
});

test("takes an address that makes no sense for an empty one", () => {
  expect(parsePathRest("/session/%E0%A4", "/session/")).toBe("");
});
