import { expect, it } from "vitest";
import { choosePager } from "./pager.ts";

it.each<[NodeJS.ProcessEnv, NodeJS.Platform, string | null]>([
  [{}, "linux", "less"],
  [{}, "win32", null],
  [{ PAGER: "more" }, "linux", "more"],
  [{ PAGER: "more", POMMEL_PAGER: "less -S" }, "linux", "less -S"],
  [{ PAGER: "more", POMMEL_PAGER: "" }, "linux", null],
  [{ PAGER: "cat" }, "linux", null],
  [{ PAGER: "more" }, "win32", "more"],
])("chooses the pager as git does: %o on %s", (env, platform, pager) => {
  expect(choosePager(env, platform)).toBe(pager);
});
