import { expect, it } from "vitest";
import { listCodeBlocks } from "./code-blocks.ts";

it.each<[string, string, string[][]]>([
  ["none", "No code, only `a word`.", []],
  ["one", "So:\n\n```ts\nconst a = 1;\n\n  run(a);\n```\nDone.", [["const a = 1;", "", "  run(a);"]]],
  ["two, by other fences", "~~~\none\n~~~\n````md\n```\ntwo\n```\n````", [["one"], ["```", "two", "```"]]],
  ["in a list", "1. Add\n   ```\n   one\n   ```", [["   one"]]],
  ["of a patch what it puts in", "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n```", [["new"]]],
  ["not closed", "```\none", []],
])("the code blocks of a reply: %s", (_, reply, blocks) => {
  expect(listCodeBlocks(reply)).toEqual(blocks);
});
