import { describe, expect, it } from "vitest";
import { PommelError } from "../base/errors.ts";
import type { Llm, LlmRequest } from "../models/generate/llm.ts";
import { scrubWithLlm } from "./scrub-with-llm.ts";
import { createLedger } from "./scrubber.ts";

const ledger = () => createLedger(Buffer.from("0123456789abcdef"));

function answering(answer: string | ((request: LlmRequest) => string)): Llm & { asked: LlmRequest[] } {
  const asked: LlmRequest[] = [];
  return {
    id: "fake/model",
    asked,
    generate: async (request) => {
      asked.push(request);
      const text = typeof answer === "string" ? answer : answer(request);
      return { text, inputTokens: 1, outputTokens: 1, dollars: 0 };
    },
  };
}

const text = "The door opens with Rumpelstiltskin, says Ann of Elm Street 5.";

describe("scrubbing with a language model", () => {
  it("replaces every exact occurrence of the strings that the model names", async () => {
    const llm = answering(
      'Sure: [{"secret":"Rumpelstiltskin","type":"password"},{"secret":"Elm Street 5","type":"postal address"}]',
    );
    expect(await scrubWithLlm(`${text} Rumpelstiltskin!`, llm, ledger())).toBe(
      "The door opens with [REDACTED_PASSWORD], says Ann of [REDACTED_POSTAL_ADDRESS]. [REDACTED_PASSWORD]!",
    );
  });

  it.each([
    ["prose", "I found nothing of interest."],
    ["a rewritten text", "The door opens with [REDACTED_PASSWORD], says Ann."],
    ["something that is not there", '[{"secret":"Rapunzel","type":"PASSWORD"}]'],
    ["something too short", '[{"secret":"Ann","type":"NAME"}]'],
    ["another shape", '[{"value":"Rumpelstiltskin"}]'],
    ["broken JSON", '[{"secret":"Rumpelstiltskin","type":"PASS'],
    ["nothing", ""],
  ])("changes nothing when the answer is %s", async (_what, answer) => {
    expect(await scrubWithLlm(text, answering(answer), ledger())).toBe(text);
  });

  it("keeps placeholders intact and normalises types", async () => {
    const scrubbed = "[REDACTED_GITHUB_TOKEN] and GITHUB_TOKEN";
    const llm = answering('[{"secret":"GITHUB_TOKEN","type":"[REDACTED_ÆØ_2]"}]');
    expect(await scrubWithLlm(scrubbed, llm, ledger())).toBe("[REDACTED_GITHUB_TOKEN] and [REDACTED_SECRET]");
  });

  it("sends a long text in pieces, up to a limit", async () => {
    const secret = "Rumpelstiltskin";
    const long = `${"word ".repeat(3_000)}${secret} ${"word ".repeat(20_000)}`;
    const llm = answering(({ prompt }) =>
      prompt.includes(secret) ? `[{"secret":"${secret}","type":"X"}]` : "[]",
    );
    expect(await scrubWithLlm(long, llm, ledger())).toContain("[REDACTED_X]");
    expect(llm.asked.length).toBeGreaterThan(5);
    expect(llm.asked.length).toBeLessThan(15);
    for (const { prompt } of llm.asked) expect(prompt.length).toBeLessThan(8_000);
  });

  it("stops on abort, and reports a missing model", async () => {
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(scrubWithLlm(text, answering("[]"), ledger(), aborted)).rejects.toThrow("enough");
    const down: Llm = { id: "x", generate: () => Promise.reject(new PommelError("llm_unavailable", "down")) };
    await expect(scrubWithLlm(text, down, ledger())).rejects.toMatchObject({ code: "llm_unavailable" });
  });
});
