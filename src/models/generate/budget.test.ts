import { beforeEach, describe, expect, it } from "vitest";
import { PommelError } from "../../base/errors.ts";
import { RequestFailed } from "../http/request.ts";
import { createBudgetedLlm } from "./budget.ts";
import type { Llm } from "./llm.ts";

type LlmUsage = Parameters<Parameters<typeof createBudgetedLlm>[1]["record"]>[0];

let recorded: LlmUsage[];
let asked: number;
beforeEach(() => {
  recorded = [];
  asked = 0;
});

const answer = { text: "Blue.", inputTokens: 90, outputTokens: 10, dollars: 0.01 };

function budgeted(
  dailyTokens: number,
  generate: () => ReturnType<Llm["generate"]> = async () => answer,
): Llm {
  const llm: Llm = {
    id: "fake/model",
    generate() {
      asked++;
      return generate();
    },
  };
  return createBudgetedLlm(llm, {
    purpose: "summary",
    dailyTokens,
    spentToday: () => recorded.reduce((sum, { input, output }) => sum + input + output, 0),
    record: (usage) => recorded.push(usage),
  });
}

/** Estimated at 100 tokens in and 100 out, and a template's 100. */
const request = { prompt: "x".repeat(300), maxTokens: 100, temperature: 0 };
const usedUp = { code: "llm_unavailable", message: expect.stringContaining("daily budget is used up") };

describe("a budgeted generator", () => {
  it("answers, and records the cost", async () => {
    const llm = budgeted(1000);
    expect(llm.id).toBe("fake/model");
    expect(await llm.generate(request)).toBe(answer);
    expect(recorded).toEqual([
      { model: "fake/model", purpose: "summary", input: 90, output: 10, dollars: 0.01 },
    ]);
  });

  it("refuses requests that might exceed the day's tokens", async () => {
    const llm = budgeted(500);
    for (let i = 0; i < 3; i++) await llm.generate(request);
    await expect(llm.generate(request)).rejects.toMatchObject(usedUp);
    expect(asked).toBe(3);
    expect(recorded).toHaveLength(3);
  });

  it("refuses every request without a budget", async () => {
    await expect(budgeted(0).generate(request)).rejects.toMatchObject(usedUp);
    expect(asked).toBe(0);
  });

  it("is not exceeded by concurrent calls", async () => {
    const llm = budgeted(700);
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => llm.generate(request)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(asked).toBe(2);
  });

  it("releases the reservation of a failed call", async () => {
    const down = new PommelError("llm_unavailable", "down", "", {
      cause: new RequestFailed("unreachable", "does not answer"),
    });
    const llm = budgeted(300, async () => {
      throw down;
    });
    for (let i = 0; i < 3; i++) await expect(llm.generate(request)).rejects.toBe(down);
    expect(recorded).toEqual([]);
    expect(asked).toBe(3);
  });

  it("counts the input when the answer came too late", async () => {
    const late = new PommelError("llm_unavailable", "late", "", {
      cause: new RequestFailed("timeout", "gave no answer"),
    });
    const llm = budgeted(1000, async () => {
      throw late;
    });
    await expect(llm.generate(request)).rejects.toBe(late);
    expect(recorded).toEqual([
      { model: "fake/model", purpose: "summary", input: 200, output: 0, dollars: null },
    ]);
  });

  it("does nothing after an abort", async () => {
    const reason = new Error("no longer wanted");
    await expect(budgeted(1000).generate(request, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(asked).toBe(0);
    expect(recorded).toEqual([]);
  });
});
