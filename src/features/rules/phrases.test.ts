import { describe, expect, it } from "vitest";
import * as z from "zod";
import orders from "./orders.json" with { type: "json" };
import requests from "./requests.json" with { type: "json" };

const text = z.string().min(1);
const pattern = text.refine(compiles, "is no regular expression");
const patterns = z.array(pattern).min(1).refine(isUnique, "has a row twice");
const words = z
  .array(z.string().regex(/^[\w-]+$/))
  .min(1)
  .refine(isUnique, "has a row twice");
const command = z.array(z.string().regex(/^[\w-]+$/)).min(2);

function compiles(source: string): boolean {
  try {
    return new RegExp(`(?:${source})`, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function isUnique(rows: readonly string[]): boolean {
  return new Set(rows).size === rows.length;
}

const ordersShape = z.strictObject({
  why: text,
  leads: patterns,
  orders: patterns,
  fillers: words,
  standing: patterns,
  momentary: patterns,
  conditions: patterns,
  someCases: patterns,
  requests: patterns,
  noOrders: patterns,
  acts: z.array(z.strictObject({ said: pattern, command })).min(1),
  branches: words,
  changes: words,
  makes: words,
  tools: z.array(z.strictObject({ said: pattern, tool: z.string().regex(/^[A-Z]\w+$/) })).min(1),
  scripts: z.array(z.strictObject({ said: pattern, runs: pattern })).min(1),
  afterProgram: patterns,
  afterCommit: patterns,
  refused: z.strictObject({
    using: patterns,
    gone: patterns,
    done: patterns,
    articles: words,
    reasons: patterns,
  }),
  keywords: words,
  wellKnownPrograms: words,
  families: z.array(words.min(2)).min(1),
  ownerOfOption: z.record(z.string().regex(/^--[\w-]+$/), command),
});

const requestsShape = z.strictObject({
  why: text,
  asks: z.record(z.string().regex(/^\w+$/), pattern),
  details: z.record(z.string().regex(/^--[\w-]+$/), pattern),
  documents: pattern,
  steady: patterns,
  refusals: patterns,
  turns: words,
  negativeQuestions: pattern,
  complaints: pattern,
  agreements: patterns,
  toolAliases: z.record(z.string().regex(/^[A-Z]\w*$/), z.string().regex(/^[A-Z]\w*$/)),
});

describe("the words of rules", () => {
  it.each([
    ["orders.json", ordersShape, orders],
    ["requests.json", requestsShape, requests],
  ])("%s has rows of the known fields", (_, shape, rows) => {
    expect(shape.safeParse(rows).error?.issues).toBeUndefined();
  });

  it("every act that is an order is also known where it is asked for", () => {
    const named = orders.acts.map(
      ({ command }) => command.find((word, at) => at > 0 && !word.startsWith("-"))!,
    );
    expect(named.filter((word) => !Object.hasOwn(requests.asks, word))).toEqual([]);
    expect(orders.tools.filter(({ tool }) => !Object.hasOwn(requests.asks, tool))).toEqual([]);
  });
});
