import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutSnippetAroundQuery, cutSnippetAt } from "./snippet.ts";

const filler = "nothing of any use stands here ".repeat(30);
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

describe("around a query's words", () => {
  it("is all of a short text, on one line", () => {
    expect(cutSnippetAroundQuery("  the\n\n retry \t was  flaky\r\n", "flaky")).toBe("the retry was flaky");
    expect(cutSnippetAroundQuery("", "flaky")).toBe("");
  });

  it("shows where most of the words are, with any ending, and marks cuts", () => {
    const text = `retry ${filler}Then the retries were flaky. ${filler}`;
    const snippet = cutSnippetAroundQuery(text, "Flaky retry of the");
    expect(snippet).toMatch(/^….*Then the retries were flaky\..*…$/);
  });

  it("begins and ends with whole words", () => {
    const words = cutSnippetAroundQuery(`${filler}flaky ${filler}`, "flaky").slice(1, -1).trim().split(" ");
    expect(new Set([...filler.trim().split(" "), "flaky"])).toEqual(new Set(words));
  });

  it("is the beginning if none of the words is there", () => {
    expect(cutSnippetAroundQuery(filler, "flaky")).toMatch(/^nothing of any use .* nothing of any…$/);
  });

  it("shows a word in the middle of a text without blanks", () => {
    for (const rest of ["", " and then ".repeat(40)]) {
      expect(cutSnippetAroundQuery(`${"x".repeat(900)}flaky${"y".repeat(900)}${rest}`, "flaky")).toContain(
        "flaky",
      );
    }
  });

  it("takes other lengths", () => {
    expect(cutSnippetAroundQuery(`${filler}flaky ${filler}`, "flaky", 40).length).toBeLessThanOrEqual(42);
  });
});

describe("at a place", () => {
  it("shows the text there, on one line", () => {
    const text = `${filler}\n\n{ } ${filler}`;
    expect(cutSnippetAt(text, text.indexOf("{"))).toMatch(/^….+ \{ \} nothing.+…$/);
    expect(cutSnippetAt("short", 4)).toBe("short");
  });
});

it("is short, on one line, shows a word that is there, and cuts no character in two", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom("🎉".repeat(150), "\n\n  \t", "x".repeat(300), "word ".repeat(50)),
  );
  const pieces = fc.array(piece, { maxLength: 12 }).map((all) => all.join(""));
  fc.assert(
    fc.property(pieces, pieces, (before, after) => {
      const text = `${before} needle ${after}`;
      for (const snippet of [cutSnippetAroundQuery(text, "Needle"), cutSnippetAt(text, before.length + 1)]) {
        expect(snippet.length).toBeLessThanOrEqual(202);
        expect(snippet).toContain("needle");
        expect(snippet).not.toMatch(/\s\s|[\n\t]/);
        expect(snippet).not.toMatch(loneSurrogate);
      }
    }),
    { numRuns: 200 },
  );
});
