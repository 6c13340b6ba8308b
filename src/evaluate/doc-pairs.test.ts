import { expect, test } from "vitest";
import { chunk } from "../../test/support/chunk-fixture.ts";
import { pairsOfFile, withoutDocs } from "./doc-pairs.ts";

const python = `import os


class Cache:
    """Keeps the pages that were read."""

    # Slow.
    def evict(self):
        """Throws away the pages nobody asked for lately."""
        return os.urandom(1)

    def size(self):
        """The size."""
        return 1
`;

test("documented functions make pairs, with their lines and their comments", async () => {
  const { chunks } = await chunk("src/cache.py", "python", python);
  const pairs = pairsOfFile("src/cache.py", chunks);
  expect(pairs.map(({ query, targets }) => ({ query, targets }))).toEqual([
    {
      query: "Throws away the pages nobody asked for lately",
      targets: [{ file: "src/cache.py", lines: [7, 10] }],
    },
  ]);
  expect(pairs[0]!.docs.map(({ text }) => text)).toEqual([
    "# Slow.",
    '"""Throws away the pages nobody asked for lately."""',
  ]);
});

test("hidden comments leave every line where it was, and a docstring a string", async () => {
  const { chunks } = await chunk("src/cache.py", "python", python);
  const hidden = withoutDocs(python, pairsOfFile("src/cache.py", chunks)[0]!.docs);
  const before = python.split("\n");
  const after = hidden.split("\n");
  expect(after).toHaveLength(before.length);
  expect(after[6]!.trim()).toBe("");
  expect(after[8]!.replace(/ /g, "")).toBe('""""""');
  expect(after.filter((_, i) => i !== 6 && i !== 8)).toEqual(before.filter((_, i) => i !== 6 && i !== 8));
});

test("hides comments over several lines, whatever ends these", () => {
  const text = "/**\r\n * Sends it.\r\n */\r\nsend();\r\n";
  const end = text.indexOf("send()") - 2;
  expect(withoutDocs(text, [{ start: 0, end }])).toBe(`   \r\n${" ".repeat(12)}\r\n   \r\nsend();\r\n`);
});
