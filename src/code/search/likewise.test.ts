import { describe, expect, it } from "vitest";
import type { IndexedCommit } from "../../store/index/records.ts";
import { findFilesChangedLikewise } from "./likewise.ts";
import { analyseQuery } from "./query.ts";

/** Commits with their scores. */
const indexOf = (...commits: [score: number, subject: string, files: string[]][]) => {
  const all = commits.map(([score, subject, files], i) => ({
    hash: `${i}`,
    score,
    subject,
    files,
    body: "",
  }));
  return {
    lexical: async () => all.map(({ hash, score }) => ({ hash, score })),
    get: async () => all as unknown as IndexedCommit[],
  };
};
/** Asks with words that all count the same. */
const ask = (question: string, ...commits: Parameters<typeof indexOf>) => {
  const query = analyseQuery(question);
  const weights = new Map(query.stems.map((one) => [one, 1 / query.stems.length]));
  return findFilesChangedLikewise(indexOf(...commits), query, weights);
};

describe("what commits like the question changed", () => {
  it("counts more the more of the question a commit has, and the fewer files it changed", async () => {
    const changes = await ask(
      "where is sniffing of content types prevented",
      [8, "set content types", ["a.ts"]],
      [4, "prevent types", ["a.ts", "b.ts"]],
      [4, "prevent types", ["c.ts"]],
      [4, "types", ["d.ts"]],
    );
    expect(changes.get("a.ts")).toEqual({ strength: 0.5, subject: "set content types" });
    expect(changes.get("c.ts")!.strength).toBeGreaterThan(changes.get("b.ts")!.strength);
    expect(changes.get("c.ts")!.strength).toBeGreaterThan(changes.get("d.ts")!.strength);
  });

  it("is nothing of commits that changed everything", async () => {
    const all = Array.from({ length: 31 }, (_, i) => `${i}.ts`);
    expect((await ask("where are types set", [8, "format", all])).size).toBe(0);
  });

  it("is not asked for names, paths and messages", async () => {
    for (const query of ["contentType", "src/types.ts", 'Error: cannot read "x"'])
      expect((await ask(query, [8, "content type", ["a.ts"]])).size).toBe(0);
  });

  it("is nothing without a history", async () => {
    expect(
      (await findFilesChangedLikewise(undefined, analyseQuery("where are types set"), new Map())).size,
    ).toBe(0);
  });
});
