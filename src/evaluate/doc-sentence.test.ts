import { describe, expect, test } from "vitest";
import { isUsable, questionOfDocs } from "./doc-sentence.ts";

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
    const question = questionOfDocs(docs, "retryAll");
    expect(question?.toLowerCase().replace("failed failed", "failed")).toBe(
      "retries a failed request with backoff",
    );
  });

  test("an abbreviation does not exit it", () => {
    expect(questionOfDocs("// Reads settings, e.g. from TOML files. Done.", "load")).toBe(
      "Reads settings, e.g. from TOML files",
    );
  });

  test("in scripts without blanks", () => {
    expect(questionOfDocs("// 失敗したリクエストを再試行する。待つ。", "retry")).toBe(
      "失敗したリクエストを再試行する",
    );
  });
});

describe("questions that reveal the answer or ask nothing", () => {
  test("a code-like name is removed, a plain word is kept", () => {
    expect(
      questionOfDocs("/** Like fetch, but parseHTTP() retries the failed request. */", "parseHTTP"),
    ).toBe(null);
    expect(questionOfDocs("/** The caller of parse_http retries the failed request. */", "parse_http")).toBe(
      "The caller of retries the failed request",
    );
    expect(questionOfDocs("// Render (JSON) writes the answer's body.", "Render")).toBe(
      "writes the answer's body",
    );
    expect(questionOfDocs("// Retry the failed request after a pause", "retry")).toBe(
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
  ])("%s", (_, docs, name) => expect(questionOfDocs(docs, name)).toBe(null));

  test("numbers and stop words are not a question", () => {
    expect(isUsable("what is it with 1 and 2 and 3")).toBe(false);
    expect(isUsable("parse command line")).toBe(true);
  });
});
