import { describe, expect, it } from "vitest";
import { analyseQuery } from "./query.ts";
import { measureFileNameFit } from "./signals.ts";

const nearness = (path: string, question: string) => {
  const query = analyseQuery(question);
  return measureFileNameFit(path, query, new Map(query.stems.map((stem) => [stem, 1 / query.stems.length])));
};

describe("a file's name", () => {
  it("fits a question that has its words", () => {
    expect(nearness("src/retry.ts", "retry")).toBeCloseTo(1);
    expect(nearness("src/retry.ts", "retry backoff")).toBeCloseTo(Math.SQRT1_2);
    expect(nearness("src/cache.ts", "retry backoff")).toBe(0);
  });

  it("fits when it shortens a word, if less than the word itself", () => {
    for (const [path, question] of [
      ["src/auth.py", "authentication"],
      ["src/ctx.py", "context"],
      ["src/config.go", "configuration"],
      ["src/synth.go", "synthesis"],
    ] as const) {
      expect(nearness(path, question)).toBeCloseTo(0.7);
    }
    expect(nearness("src/in.py", "inventory")).toBe(0);
  });

  it("fits when it runs two words together", () => {
    expect(nearness("parsers/urlencoded.ex", "URL-encoded")).toBeCloseTo(1);
    expect(nearness("parsers/urlencoded.ex", "encoded URL")).toBe(0);
  });

  it("is that of the directory if the file's own means nothing", () => {
    expect(nearness("src/retry/index.ts", "retry")).toBeCloseTo(1);
  });

  it("counts each word of the question once", () => {
    expect(nearness("src/auth_authentication.py", "authentication")).toBeLessThanOrEqual(1);
  });
});
