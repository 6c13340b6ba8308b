import { describe, expect, test } from "vitest";
import { keywordsOf, readByGrep } from "./grep.ts";
import { type Answer, budget, type Criterion, createReading } from "./reading.ts";
import { createSources } from "./sources.ts";
import { type Found, readBySearch } from "./with-search.ts";

/** A file of this many lines, some with content. */
function file(length: number, said: Record<number, string> = {}): string {
  return Array.from({ length }, (_, i) => said[i + 1] ?? `line ${i + 1}`).join("\n");
}

const files = {
  "src/cache.ts": file(500, { 300: "export function evictStale(pages) {", 302: "  // stale pages go" }),
  "src/pages.ts": file(40, { 3: "a page" }),
  "test/cache.test.ts": file(30, { 5: "evictStale(pages); // stale pages" }),
  "src/other.ts": file(10),
};
const sources = createSources(new Map(Object.entries(files)));
const question = "which stale pages are thrown away";
const evict: Answer = { file: "src/cache.ts", lines: [300, 304] };
const begin = (answer: Answer, criterion: Criterion) => createReading(sources, answer, criterion);

/** A search that answers with these places, a page at a time. */
function searchFor(...pages: [file: string, first: number, last: number][][]) {
  const asked: (string | null)[] = [];
  const search = async (_: string, cursor: string | null): Promise<Found> => {
    asked.push(cursor);
    const page = Number(cursor ?? 0);
    const results = (pages[page] ?? []).map(([path, start_line, end_line]) => ({
      file: path,
      start_line,
      end_line,
      content: `${start_line}\t${sources.linesOf(path)[start_line - 1]!}`,
    }));
    const text = results.map(({ file, content }) => `${file}\n    ${content}`).join("\n");
    return { text, tokens: 0, results, cursor: page + 1 < pages.length ? String(page + 1) : null };
  };
  return { search, asked };
}

describe("what is searched for", () => {
  test("names first, then the longest words without their endings, no more than four", () => {
    expect(keywordsOf("how does parseConfig throw registered errors of a plugin away")).toEqual({
      names: ["parseConfig"],
      texts: ["parseconfig", "regist", "error", "plugin"],
    });
  });

  test("a question of a word or two is a name", () => {
    expect(keywordsOf("Depends").names).toEqual(["Depends"]);
    expect(sources.definitionsOf("evictStale")).toEqual([{ file: "src/cache.ts", line: 300 }]);
  });
});

describe("grep", () => {
  test("reads whole files until the answer was read, tests last, and counts the lists that it saw", () => {
    const reading = begin(evict, "lines");
    readByGrep(question, sources, reading, "whole");
    expect(reading.isFound()).toBe(true);
    // Of four words "pages" is in three files, "stale" in two, the others in none; then the file that has both.
    expect(reading.cost()).toMatchObject({ lines: 3 + 2 + 500, calls: 5 });
    expect(reading.hasSeen("test/cache.test.ts", 1, 30)).toBe(false);
    expect(reading.hasSeen("src/other.ts", 1, 10)).toBe(false);
  });

  test("reads around the place with most of the words", () => {
    const reading = begin(evict, "lines");
    readByGrep(question, sources, reading, "windows");
    expect(reading.isFound()).toBe(true);
    expect(reading.hasSeen("src/cache.ts", 242, 360)).toBe(true);
    expect(reading.hasSeen("src/cache.ts", 1, 200)).toBe(false);
    expect(reading.cost().lines).toBeLessThan(200);
  });

  test("goes straight to a definition", () => {
    const reading = begin(evict, "lines");
    readByGrep("evictStale", sources, reading, "windows");
    // One line of definitions, two files that hold the name, one window.
    expect(reading.cost()).toMatchObject({ lines: 1 + 2 + 121, calls: 3 });
  });

  test("does not find code without a word of the question, and its reading counts", () => {
    const reading = begin({ file: "src/other.ts", lines: null }, "whole");
    readByGrep(question, sources, reading, "whole");
    expect(reading.isFound()).toBe(false);
    expect(reading.cost().lines).toBeGreaterThan(570);
  });
});

describe("search_code", () => {
  test("a printed answer costs the print and the rest of the answer", async () => {
    const reading = begin(evict, "lines");
    const { search } = searchFor([["src/cache.ts", 300, 304]]);
    expect(await readBySearch(question, { sources, reading, search })).toBe(1);
    // Two lines printed, then lines 301 to 304.
    expect(reading.cost()).toMatchObject({ lines: 2 + 4, calls: 2 });
  });

  test("results are read in their order, with lines around them, page after page", async () => {
    const reading = begin(evict, "lines");
    const { search, asked } = searchFor([["src/pages.ts", 11, 12]], [["src/cache.ts", 305, 306]]);
    expect(await readBySearch(question, { sources, reading, search })).toBe(2);
    expect(asked).toEqual([null, "1"]);
    // Two lines printed and 22 read, twice.
    expect(reading.cost()).toMatchObject({ lines: 2 * (2 + 22), calls: 4 });
  });

  test("falls back to grep, and everything before that counts", async () => {
    const alone = begin(evict, "lines");
    readByGrep(question, sources, alone, "windows");
    const reading = begin(evict, "lines");
    const { search } = searchFor([["src/other.ts", 1, 2]]);
    expect(await readBySearch(question, { sources, reading, search })).toBe(null);
    expect(reading.isFound()).toBe(true);
    expect(reading.cost().lines).toBe(alone.cost().lines + 2 + 10);
  });

  test("an agent that needs a whole file reads the results' files whole", async () => {
    const reading = begin({ file: "src/pages.ts", lines: null }, "whole");
    const { search } = searchFor([
      ["src/other.ts", 1, 1],
      ["src/pages.ts", 3, 3],
    ]);
    expect(await readBySearch(question, { sources, reading, search })).toBe(2);
    expect(reading.cost().lines).toBe(4 + 10 + 40);
  });
});

describe("reading", () => {
  test("an answer counts as found with half of it, without its first line, but not with less", () => {
    const less = begin(evict, "lines");
    less.read("src/cache.ts", 303, 400);
    expect(less.isFound()).toBe(false);
    const more = begin(evict, "lines");
    more.read("src/cache.ts", 302, 400);
    expect(more.isFound()).toBe(true);
    expect(more.cost()).toMatchObject({ lines: 99 + 2, calls: 2 });
  });

  test("a passage is ten lines, or all of a shorter file", () => {
    const reading = begin({ file: "src/cache.ts", lines: null }, "passage");
    reading.read("src/cache.ts", 1, 9);
    expect(reading.isFound()).toBe(false);
    reading.read("src/cache.ts", 10, 10);
    expect(reading.isFound()).toBe(true);
  });

  test("ends when the budget is spent", () => {
    const reading = begin({ file: "src/other.ts", lines: null }, "whole");
    for (let i = 0; i < budget.calls; i++) reading.print("");
    expect(reading.isOver()).toBe(true);
    expect(reading.isFound()).toBe(false);
  });

  test("an answer that is not there is an error", () => {
    expect(() => begin({ file: "src/gone.ts", lines: null }, "whole")).toThrow("src/gone.ts");
  });
});
