import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunk, outline } from "../../../test/support/chunk-fixture.ts";
import { parseHeadings } from "./headings.ts";

function titles(text: string): string[] {
  return parseHeadings(text).map(({ depth, title, line }) => `${line} ${"#".repeat(depth)} ${title}`);
}

describe("headingsOf", () => {
  test.each([
    ["# One", ["1 # One"]],
    ["###### Six ##", ["1 ###### Six"]],
    ["   ## Indented\r\ntext", ["1 ## Indented"]],
    ["    # code", []],
    ["####### seven", []],
    ["#hashtag", []],
    ["#", ["1 # "]],
    ["# `code` and *stress* and [link](http://x)", ["1 # code and stress and link"]],
    ["One\n===\n\nTwo\n---\n", ["1 # One", "4 ## Two"]],
    ["text\n\n---\n\nmore", []],
    ["- item\n---", []],
    ["> quote\n---", []],
    ["| a |\n---", []],
    ["---\ntitle: x\n---\n# One", ["4 # One"]],
    ["---\nno end\n# One", ["3 # One"]],
    ["```sh\n# comment\n```\n# One", ["4 # One"]],
    ["~~~\n# a\n```\n# b\n~~~\n# One", ["6 # One"]],
    ["````\n```\n# a\n````\n# One", ["5 # One"]],
    ["- item\n  ```\n  # a\n  ```\n# One", ["5 # One"]],
    ["```never closed\n# a", []],
    ["`` `x` ``\n# One", ["2 # One"]],
  ])("of %j", (text, expected) => {
    expect(titles(text)).toEqual(expected);
  });

  test("survives quotes nested deeper than any parser likes", () => {
    expect(titles(`${">".repeat(300)} # quoted\n# One`)).toEqual(["2 # One"]);
  });

  test("never fails, and finds headings in their order and inside of the text", () => {
    const piece = fc.constantFrom(
      "# a",
      "## b",
      "---",
      "===",
      "```",
      "~~~",
      "> ",
      "- ",
      "\n",
      "\r\n",
      "x",
      "    ",
      "\t",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join("");
        const lines = parseHeadings(text).map(({ line }) => line);
        expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
        for (const line of lines) expect(line).toBeLessThanOrEqual(text.split("\n").length);
      }),
    );
  });
});

describe("a Markdown file", () => {
  const text = "intro\n\n# Guide\n\nhello\n\n## Install\n\nnpm\n\n### Windows\n\n## Use\n\n# Notes\n";

  test("is cut by its headings", async () => {
    expect(outline(await chunk("docs/guide.md", "markdown", text))).toEqual([
      "block heading Guide 3-14",
      "  block heading Install 7-12",
      "    block heading Windows 11-12",
      "  block heading Use 13-14",
      "block heading Notes 15-15",
    ]);
  });

  test("has each section's text once, with its place", async () => {
    const { chunks } = await chunk("docs/guide.md", "markdown", text);
    expect(chunks.map(({ name, terms }) => [name, terms.head, terms.body])).toEqual([
      ["guide", "", "intro guide guid notes note"],
      ["Guide", "guide guid", "guide guid hello install instal use us"],
      ["Install", "guide guid install instal", "install instal npm windows window"],
      ["Windows", "guide guid install instal windows window", "windows window"],
      ["Use", "guide guid use us", "use us"],
      ["Notes", "notes note", "notes note"],
    ]);
  });

  test("has long sections cut by lines", async () => {
    const long = `# Long\n\n${"words go on\n\n".repeat(60)}`;
    expect(outline(await chunk("long.md", "markdown", long))).toEqual([
      "block heading Long 1-122",
      "  lines   1-39",
      "  lines   37-75",
      "  lines   73-121",
    ]);
  });
});
