import { expect, it } from "vitest";
import { patchesIn } from "./shell.ts";

it("a unified diff names its files, each with its lines", () => {
  const text = [
    "git apply <<'PATCH'",
    "diff --git a/src/a.ts b/src/a.ts",
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -1,2 +1,2 @@",
    " one",
    "-two",
    "+three",
    "--- a/b.ts",
    "+++ b/b.ts\t2026-01-01",
    "@@ -0,0 +1 @@",
    "+four",
    "PATCH",
    "+not a line of it",
  ].join("\n");
  expect(patchesIn(text)).toEqual([
    { path: "src/a.ts", lines: [" one", "-two", "+three"] },
    { path: "b.ts", lines: ["+four"] },
  ]);
});

it("the envelope that agents use is one as well", () => {
  const text =
    "*** Begin Patch\n*** Add File: a.ts\n+one\n*** Update File: b.ts\n@@\n-x\n+two\n*** End Patch";
  expect(patchesIn(text)).toEqual([
    { path: "a.ts", lines: ["+one"] },
    { path: "b.ts", lines: ["-x", "+two"] },
  ]);
});

it("a text without a patch has none, nor has one that only removes", () => {
  expect(patchesIn("a + b\n- c")).toEqual([]);
  expect(patchesIn("--- a/a.ts\n+++ b/a.ts\n@@ -1 +0,0 @@\n-one")).toEqual([]);
});
