import { describe, expect, test } from "vitest";
import { chunk } from "../../../../test/support/chunk-fixture.ts";
import { extractDocsQuestion, isUsable, listDocPairs, withoutDocs } from "./doc-pairs.ts";

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
  const pairs = listDocPairs("src/cache.py", chunks);
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
  const hidden = withoutDocs(python, listDocPairs("src/cache.py", chunks)[0]!.docs);
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

describe("the first sentence, whatever the language's comments look like", () => {
  test.each([
    ["JSDoc", "/**\n * Retries a failed request with backoff. Then gives up.\n * @param n how often\n */"],
    [
      "Javadoc",
      "/**\n   * Retries a {@link Failed failed} request\n   * with <b>backoff</b>.\n   *\n   * <p>Or not.\n   */",
    ],
    ["one line", "/** Retries a `failed` request with backoff. */"],
    ["Rust", "/// Retries a [failed] request with backoff.\n///\n/// # Errors\n/// When it fails."],
    [
      "C#",
      "/// <summary>\n/// Retries a failed request with backoff.\n/// </summary>\n/// <returns>it</returns>",
    ],
    ["Python", '"""Retries a failed request with backoff.\n\n    Args:\n        n: how often\n    """'],
    ["reST", 'r"""\n    Retries a :term:`failed` request with *backoff*.\n    :param n: how often\n    """'],
    ["Ruby, Python, shell", "# Retries a failed request\n# with backoff.\n#\n# It waits."],
    ["Lua, SQL", "--- Retries a failed request with backoff.\n-- @return it"],
    ["Windows", "// Retries a failed request\r\n// with backoff.\r\n//\r\n// It waits."],
    ["Go", "// retryAll retries a failed request with backoff.\nIt waits."],
  ])("%s", (_, docs) => {
    const question = extractDocsQuestion(docs, "retryAll");
    expect(question?.toLowerCase().replace("failed failed", "failed")).toBe(
      "retries a failed request with backoff",
    );
  });

  test("an abbreviation does not exit it", () => {
    expect(extractDocsQuestion("// Reads settings, e.g. from TOML files. Done.", "load")).toBe(
      "Reads settings, e.g. from TOML files",
    );
  });

  test("in scripts without blanks", () => {
    expect(extractDocsQuestion("// 失敗したリクエストを再試行する。待つ。", "retry")).toBe(
      "失敗したリクエストを再試行する",
    );
  });
});

describe("questions that reveal the answer or ask nothing", () => {
  test("a code-like name is removed, a plain word is kept", () => {
    expect(
      extractDocsQuestion("/** Like fetch, but parseHTTP() retries the failed request. */", "parseHTTP"),
    ).toBe(null);
    expect(
      extractDocsQuestion("/** The caller of parse_http retries the failed request. */", "parse_http"),
    ).toBe("The caller of retries the failed request");
    expect(extractDocsQuestion("// Render (JSON) writes the answer's body.", "Render")).toBe(
      "writes the answer's body",
    );
    expect(extractDocsQuestion("// Retry the failed request after a pause", "retry")).toBe(
      "Retry the failed request after a pause",
    );
  });

  test.each([
    ["too short", "// Start it.", "x"],
    ["the name again", "// Gets the retry limit count.", "getRetryLimitCount"],
    ["a licence", "// Copyright 2020 by the authors of this fine program", "x"],
    ["a word to a tool", "// eslint-disable-next-line no-such-rule because reasons", "x"],
    ["a task", "// TODO: make this retry the failed request", "x"],
    ["inherited", "/** {@inheritDoc} and something more about requests */", "x"],
    ["a reference", "// See the retry module about failed requests", "x"],
    ["nothing", "/** */", "x"],
    ["tags only", "/**\n * @param request the failed request to retry\n */", "x"],
    ["an essay", `// ${"word after word ".repeat(30)}`, "x"],
  ])("%s", (_, docs, name) => expect(extractDocsQuestion(docs, name)).toBe(null));

  test("numbers and stop words are not a question", () => {
    expect(isUsable("what is it with 1 and 2 and 3")).toBe(false);
    expect(isUsable("parse command line")).toBe(true);
  });
});
