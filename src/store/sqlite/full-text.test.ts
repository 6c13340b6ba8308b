import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTokenStream, toFtsPhrase } from "../../base/text/tokens.ts";
import { Connection } from "./connection.ts";
import { countRowsByToken, createTextTable, insertTexts, removeTexts, scoreRows } from "./full-text.ts";
import { Sqlite } from "./sqlite.ts";

/** A full-text table, and beside it one that keeps its texts: of that FTS5 knows what is gone. */
class Tables extends Connection {
  static open(): Tables {
    const tables = new Tables(":memory:", new Sqlite(":memory:", { mode: "create", timeoutMs: 0 }));
    tables.exec(`${createTextTable("chunk_terms")}
      CREATE VIRTUAL TABLE plain USING fts5 (
        prompt, answer, actions, errors, tokenize = "ascii tokenchars '_$'"
      )`);
    return tables;
  }

  /** @param changes texts of the first two columns by row; null: the row goes */
  write(changes: readonly (readonly [number, readonly [string, string] | null])[]): void {
    this.runInTransaction(() => {
      for (const [row, texts] of changes) {
        removeTexts(this, "chunk_terms", row);
        this.prepare("DELETE FROM plain WHERE rowid = ?").run(row);
        if (texts === null) continue;
        insertTexts(this, "chunk_terms", row, [...texts, "", ""]);
        this.prepare("INSERT INTO plain (rowid, prompt, answer) VALUES (?, ?, ?)").run(
          row,
          ...texts.map(makeTokenStream),
        );
      }
    });
  }

  /** What FTS5's own bm25() says, by row. */
  scoreByFts(tokens: readonly string[], weights: Record<string, number>): [number, number][] {
    const { prompt = 0, answer = 0 } = weights;
    const rows = this.all<{ id: number; score: number }>(
      `SELECT rowid AS id, -bm25(plain, ${prompt}, ${answer}) AS score FROM plain WHERE plain MATCH ?`,
      `{${Object.keys(weights).join(" ")}} : (${tokens.map(toFtsPhrase).join(" OR ")})`,
    );
    return inOrder(rows.map(({ id, score }) => [id, score]));
  }

  score(tokens: readonly string[], weights: Record<string, number>): [number, number][] {
    const { rows, scores } = scoreRows(this, "chunk_terms", tokens, weights);
    return inOrder(Array.from(rows, (row) => [row, scores[row]!]));
  }
}

const inOrder = (rows: [number, number][]) => rows.sort(([a], [b]) => a - b);

let tables: Tables;
beforeEach(() => {
  tables = Tables.open();
});
afterEach(() => tables.close());

// Words that begin alike, and one that FTS5 stores with bytes beyond ASCII.
const words = ["a", "ab", "abc", "abd", "b", "ba", "größe", "$x_1", "zz"];

it("gives what FTS5's bm25() gives of rows that are there, whatever was written and removed", () => {
  const text = fc
    .array(
      fc.nat(99).map((n) => words[Math.min(Math.floor(Math.log2(1 + n)), words.length - 1)]!),
      { maxLength: 40 },
    )
    .map((some) => some.join(" "));
  const row = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.option(fc.tuple(text, text), { freq: 4 }));
  fc.assert(
    fc.property(
      fc.array(fc.array(row, { maxLength: 30 }), { minLength: 1, maxLength: 6 }),
      fc.subarray([...words, "missing"], { minLength: 1 }),
      fc.constantFrom({ prompt: 1.5, answer: 0.4 }, { answer: 0.7 }),
      (transactions, tokens, weights) => {
        const some = Tables.open();
        try {
          for (const changes of transactions) {
            some.write(changes);
            const found = some.score(tokens, weights);
            const expected = some.scoreByFts(tokens, weights);
            expect(found.map(([id]) => id)).toEqual(expected.map(([id]) => id));
            for (const [i, [, score]] of found.entries()) expect(score / expected[i]![1]).toBeCloseTo(1, 9);
            const counts = countRowsByToken(some, "chunk_terms", tokens);
            for (const token of tokens) {
              const { length } = some.scoreByFts([token], { prompt: 1, answer: 1 });
              expect(counts.get(token) ?? 0).toBe(length);
            }
          }
        } finally {
          some.close();
        }
      },
    ),
    { numRuns: 20 },
  );
});

it("finds the rows that hold a phrase, which counts once in a column", () => {
  tables.write([
    [1, ["ab b", ""]],
    [2, ["ab b ab b", "ab zz"]],
    [3, ["b ab", "ab"]],
    [4, ["", "ab b"]],
  ]);
  const found = new Map(tables.score(["ab b"], { prompt: 2, answer: 1 }));
  expect([...found.keys()]).toEqual([1, 2, 4]);
  expect(found.get(1)).toBeGreaterThan(found.get(4)!);
  expect(found.get(1)).toBeGreaterThan(found.get(2)!);
  expect(tables.score(["ab b"], { answer: 1 }).map(([id]) => id)).toEqual([4]);
  expect(countRowsByToken(tables, "chunk_terms", ["ab b"])).toEqual(new Map([["ab b", 3]]));
});

it("leaves out columns that count nothing, though their rows make a word common", () => {
  tables.write([
    [1, ["ab", ""]],
    [2, ["", "ab"]],
    [3, ["zz", "zz"]],
  ]);
  expect(tables.score(["ab"], { prompt: 0, answer: 1 }).map(([id]) => id)).toEqual([2]);
  const rare = tables.score(["ab"], { answer: 1 })[0]![1];
  expect(tables.score(["ab"], { prompt: 0, answer: 1 })[0]![1]).toBeLessThan(rare);
});

it("finds nothing in an empty table", () => {
  expect(tables.score(["ab"], { prompt: 1 })).toEqual([]);
  expect(countRowsByToken(tables, "chunk_terms", ["ab"]).size).toBe(0);
});
