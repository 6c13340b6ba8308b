import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { phraseOf } from "../../text/tokens.ts";
import { Connection } from "./connection.ts";
import { listsOf } from "./full-text-lists.ts";
import { frequenciesIn, scoreRows } from "./full-text-scores.ts";
import { Sqlite } from "./sqlite.ts";

/** A database with one full-text table, as those of the schemas. */
class Bench extends Connection {
  static open(options = "content = '', contentless_delete = 1,"): Bench {
    const bench = new Bench(":memory:", new Sqlite(":memory:", { mode: "create", timeoutMs: 0 }));
    bench.exec(
      `CREATE VIRTUAL TABLE chunk_terms USING fts5 (
         title, body, ${options} tokenize = "ascii tokenchars '_$'"
       )`,
    );
    return bench;
  }

  /** Small pages, so that lists go on over many, and how soon segments are merged. */
  configure(page: number, merge: number): void {
    for (const [name, value] of Object.entries({ pgsz: page, automerge: merge, crisismerge: 2 * merge })) {
      // Bound numbers are no integers, which these are to be.
      this.exec(`INSERT INTO chunk_terms (chunk_terms, rank) VALUES ('${name}', ${value})`);
    }
  }

  /** @param texts titles and bodies by row; null: the row goes */
  write(texts: readonly (readonly [number, readonly [string, string] | null])[]): void {
    this.inTransaction(() => {
      for (const [row, text] of texts) {
        this.prepare("DELETE FROM chunk_terms WHERE rowid = ?").run(row);
        if (text !== null) {
          this.prepare("INSERT INTO chunk_terms (rowid, title, body) VALUES (?, ?, ?)").run(row, ...text);
        }
      }
    });
  }

  byFts(tokens: readonly string[], columns: string, weights: string): [number, number][] {
    const rows = this.prepare(
      `SELECT rowid AS id, -bm25(chunk_terms, ${weights}) AS score FROM chunk_terms WHERE chunk_terms MATCH ?`,
    ).all(`{${columns}} : (${tokens.map(phraseOf).join(" OR ")})`);
    return inOrder((rows as { id: number; score: number }[]).map(({ id, score }) => [id, score]));
  }
}

const inOrder = (rows: [number, number][]) => rows.sort(([a], [b]) => a - b);

const open: Bench[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

function bench(options?: string): Bench {
  const one = Bench.open(options);
  open.push(one);
  return one;
}

/** What is found is what FTS5 finds, with the scores of its bm25(), but for how logarithms are rounded. */
function check(one: Bench, tokens: readonly string[], weights: Record<string, number>): void {
  const { rows, scores } = scoreRows(one, "chunk_terms", tokens, weights);
  const found = inOrder(Array.from(rows, (row) => [row, scores[row]!]));
  const { title = 0, body = 0 } = weights;
  const expected = one.byFts(tokens, Object.keys(weights).join(" "), `${title}, ${body}`);
  expect(found.map(([row]) => row)).toEqual(expected.map(([row]) => row));
  for (const [i, [, score]] of found.entries()) expect(score / expected[i]![1]).toBeCloseTo(1, 12);
}

// Words that begin alike, and one that FTS5 stores with bytes beyond ASCII.
const words = ["a", "ab", "abc", "abd", "b", "ba", "größe", "$x_1", "zz"];

it("gives what FTS5's bm25() gives, whatever was written and removed in whatever pieces", () => {
  const text = fc
    .array(
      fc.nat(99).map((n) => words[Math.min(Math.floor(Math.log2(1 + n)), words.length - 1)]!),
      { maxLength: 40 },
    )
    .map((some) => some.join(" "));
  const row = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.option(fc.tuple(text, text), { freq: 4 }));
  fc.assert(
    fc.property(
      fc.array(fc.array(row, { maxLength: 80 }), { minLength: 1, maxLength: 12 }),
      fc.constantFrom(64, 200, 4050),
      fc.constantFrom(2, 4),
      fc.subarray([...words, "missing", "a ab", "ab abc b", "b b", "größe $x_1"], { minLength: 1 }),
      (transactions, page, merge, tokens) => {
        const one = Bench.open();
        try {
          one.configure(page, merge);
          for (const texts of transactions) {
            one.write(texts);
            check(one, tokens, { title: 1.5, body: 0.4 });
          }
          check(one, tokens, { body: 0.7 });
          const found = frequenciesIn(one, "chunk_terms", tokens);
          for (const token of tokens) {
            expect(found.get(token) ?? 0).toBe(one.byFts([token], "title body", "1, 1").length);
          }
        } finally {
          one.close();
        }
      },
    ),
    { numRuns: 30 },
  );
});

it("reads lists that go on over many pages, and segments that are half merged", () => {
  const one = bench();
  const weights = { title: 2, body: 1 };
  one.configure(64, 16);
  for (let part = 0; part < 6; part++) {
    one.write(
      Array.from({ length: 300 }, (_, i) => {
        const body = Array.from({ length: 1 + (i % 50) }, (_, n) => (n % 3 === 0 ? "common" : `w${n}`)).join(
          " ",
        );
        return [part * 300 + i + 1, [`title ${i}`, body]] as const;
      }),
    );
  }
  check(one, ["common", "w7"], weights);
  // Negative: all segments are merged, a few pages at a time.
  const merge = (pages: number) =>
    one.exec(`INSERT INTO chunk_terms (chunk_terms, rank) VALUES ('merge', ${pages})`);
  merge(-20);
  for (let step = 0; step < 40; step++) {
    one.inTransaction(() => merge(15));
    one.write([[step * 40 + 1, null]]);
    check(one, ["common", "w7"], weights);
  }
  one.exec("INSERT INTO chunk_terms (chunk_terms) VALUES ('optimize')");
  one.write([[5, ["common", "after"]]]);
  check(one, ["common", "w7"], weights);
});

it("leaves to FTS5 what is stored in another way", () => {
  const one = bench("");
  one.write([
    [1, ["alpha", "beta alpha"]],
    [2, ["beta", "beta"]],
    [3, ["gamma", ""]],
  ]);
  expect(listsOf(one, "chunk_terms", "alpha")).toBeNull();
  check(one, ["alpha", "beta"], { title: 2, body: 1 });
  check(one, ["alpha", "beta"], { title: 2 });
  expect(frequenciesIn(one, "chunk_terms", ["beta"]).get("beta")).toBe(2);
});

it("leaves to FTS5 what is damaged", () => {
  const one = bench();
  one.write([[1, ["alpha", "beta"]]]);
  one.write([[2, ["alpha", "gamma"]]]);
  one.write([[1, null]]);
  expect(listsOf(one, "chunk_terms", "alpha")).toHaveLength(2);
  one.inOwnTransactionOnShadowTables(() =>
    one.prepare("UPDATE chunk_terms_data SET block = zeroblob(16) WHERE id > 1 << 53").run(),
  );
  expect(listsOf(one, "chunk_terms", "alpha")).toBeNull();
});

it("finds nothing in an empty table", () => {
  const one = bench();
  expect(scoreRows(one, "chunk_terms", ["alpha"], { title: 1, body: 1 }).rows).toHaveLength(0);
  expect(frequenciesIn(one, "chunk_terms", ["alpha"]).size).toBe(0);
});
