import { expect, test } from "vitest";
import { buildPageRoute } from "./pm-open.ts";

const route = (view?: string, ...what: string[]) => buildPageRoute(view, what, (path) => `root/${path}`);

test.each([
  [[], "/"],
  [["home"], "/"],
  [["sessions"], "/sessions"],
  [["search"], "/search"],
  [["search", "a", "b&c"], "/search?q=a+b%26c"],
  [["session", "one/a2"], "/session/one/a2"],
  [["file", "a b#.ts:12"], "/file/root/a%20b%23.ts:12"],
  [["file", "x.ts"], "/file/root/x.ts"],
])("pm open %j goes to %s", (args, expected) => {
  expect(route(...args)).toBe(expected);
});

test.each([["nowhere"], ["session"], ["file"], ["file", " "]])("pm open %s %s is refused", (...args) => {
  expect(() => route(...args)).toThrow(expect.objectContaining({ code: "usage" }));
});
