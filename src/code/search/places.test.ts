import { describe, expect, it } from "vitest";
import type { ChunkOutline } from "../../store/index/port.ts";
import { scoreByPlace } from "./places.ts";
import { analyseQuery } from "./query.ts";
import { measureOwnerFit, nameSignal, type RankedChunk } from "./signals.ts";
import { weights } from "./weights.ts";

const entry = (file: string, score: number, chunk: Partial<ChunkOutline>, semantic = 0): RankedChunk => ({
  candidate: {
    chunk: {
      file,
      path: file,
      level: "method",
      name: "",
      parentName: null,
      startLine: 1,
      endLine: 1,
      ...chunk,
    } as ChunkOutline,
    lexical: 0.5,
    phrase: 0,
    quoted: 0,
    semantic,
    fileSemantic: 0,
    fileNearness: 0,
    defines: [],
    file: 0,
  },
  named: 0,
  owned: 0,
  defined: 0,
  mentioned: 0,
  score,
  signals: {} as RankedChunk["signals"],
});

const scored = (question: string, ...ranked: RankedChunk[]) => {
  const query = analyseQuery(question);
  const share = new Map(query.stems.map((stem) => [stem, 1 / query.stems.length]));
  for (const entry of ranked) {
    entry.named = nameSignal(entry.candidate.chunk, share);
    entry.owned = measureOwnerFit(entry.candidate.chunk, share);
  }
  scoreByPlace(ranked, query, weights);
  return ranked.map(({ score }) => score);
};

describe("the places of a file", () => {
  it("come in their own order, the best with the file's score", () => {
    const [whole, install, check] = scored(
      "install the git hooks",
      entry("a.ts", 2, { level: "file", name: "hooks.go" }),
      entry("a.ts", 1.2, { name: "InstallGitHook" }),
      entry("a.ts", 1.6, { name: "checkVersion" }),
    );
    expect(install).toBe(2);
    expect(check).toBeLessThan(install!);
    expect(whole).toBeLessThan(install!);
  });

  it("are functions before types, unless the question reads like the description of a type", () => {
    const places = () => [
      entry("a.ts", 1, { level: "class", name: "RetryPolicy" }),
      entry("a.ts", 1, { name: "retryRequest" }),
    ];
    const [policy, retried] = scored("retry a request that failed", ...places());
    expect(policy).toBeLessThan(retried!);
    const [asked, other] = scored("A policy for when to retry", ...places());
    expect(asked).toBeGreaterThan(other!);
  });

  it("fit when their names shorten a word of the question, or lengthen it", () => {
    const [enable, other] = scored(
      "alternative screen mode",
      entry("a.ts", 1, { name: "set_alt_screen" }),
      entry("a.ts", 1, { name: "set_screen" }),
    );
    expect(other).toBeLessThan(enable!);
    const [asynchronous, plain] = scored(
      "send async",
      entry("a.ts", 1, { name: "sendAsynchronously" }),
      entry("a.ts", 1, { name: "sendLater" }),
    );
    expect(plain).toBeLessThan(asynchronous!);
  });

  it("are rather those of what the question names", () => {
    const [owned, other] = scored(
      "how a cache is emptied",
      entry("a.ts", 1, { name: "clear", parentName: "Cache" }),
      entry("a.ts", 1, { name: "clear", parentName: "Window" }),
    );
    expect(other).toBeLessThan(owned!);
  });

  it("leave files in their order", () => {
    const [best, of] = scored(
      "retry",
      entry("a.ts", 2, { name: "retry" }),
      entry("b.ts", 1, { name: "retry" }, 0.9),
    );
    expect(best).toBe(2);
    expect(of).toBe(1);
  });

  it("are tests last, unless they are asked for", () => {
    const test = () => entry("a.ts", 1, { name: "test_parse" });
    const [, first] = scored("parse dates", test(), entry("a.ts", 1, { name: "parse" }));
    expect(first).toBe(1);
    const [asked] = scored("test parse", test(), entry("a.ts", 1, { name: "other" }));
    expect(asked).toBe(1);
  });
});
