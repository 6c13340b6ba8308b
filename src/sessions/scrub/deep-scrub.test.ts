import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { prompt, ran, text } from "../../../test/support/turn-fixture.ts";
import type { Llm } from "../../models/generate/llm.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { listUnreadSessions } from "../../store/memory/privacy/secrets.ts";
import { deepScrubSession } from "./deep-scrub.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

const secret = "the blue heron flies at nine";

function finder(): Llm & { asked: string[] } {
  const asked: string[] = [];
  return {
    id: "fake/local",
    asked,
    async generate({ prompt: question }) {
      asked.push(question);
      const found = question.includes(secret) ? [{ secret, type: "PASSPHRASE" }] : [];
      return { text: JSON.stringify(found), inputTokens: 1, outputTokens: 1, dollars: 0 };
    },
  };
}

const now = <T>(change: () => Promise<T>) => change();

it("removes the model's findings everywhere, and sends nothing twice", async () => {
  const { id } = await stage.store(
    "s",
    prompt(`The phrase is ${secret}\nNote to Pommel: ${secret}`),
    ran(`unlock --phrase "${secret}"`, `unlocked by ${secret}`),
    text("It is unlocked."),
    prompt("Thank you very much for that"),
  );
  const llm = finder();
  expect(await deepScrubSession({ ...stage.work, llm }, "s", now)).toBe(1);
  expect(stage.everything()).toContain("The phrase is [REDACTED_PASSPHRASE]");
  expect(
    JSON.stringify([stage.chunkTexts(id), stage.rowsOf("turns"), listStoredNotes(stage.memory)]),
  ).not.toContain(secret);
  expect(llm.asked.length).toBeGreaterThan(0);
  const asked = llm.asked.length;
  expect(await deepScrubSession({ ...stage.work, llm }, "s", now)).toBe(0);
  expect(llm.asked).toHaveLength(asked);
});

it("changes nothing when the model fails, and asks again", async () => {
  await stage.store("s", prompt(`The phrase is ${secret}`));
  const failing: Llm = { id: "fake/local", generate: () => Promise.reject(new Error("gone")) };
  const before = stage.rowsOf("turns");
  await expect(deepScrubSession({ ...stage.work, llm: failing }, "s", now)).rejects.toThrow("gone");
  expect(stage.rowsOf("turns")).toEqual(before);
  expect(await deepScrubSession({ ...stage.work, llm: finder() }, "s", now)).toBe(1);
});

it("has nothing to do in a session that is not stored", async () => {
  const llm = finder();
  expect(await deepScrubSession({ ...stage.work, llm }, "unknown", now)).toBe(0);
  expect(llm.asked).toEqual([]);
});

it("offers what was stored before a model was asked, until the model has read it", async () => {
  await stage.store("old", prompt("one"), text("first"));
  await stage.store("older", prompt("two"), text("second"));
  const { memory } = stage;
  expect(listUnreadSessions(memory).toSorted()).toEqual(["old", "older"]);
  await deepScrubSession({ ...stage.work, llm: finder() }, "old", now);
  expect(listUnreadSessions(memory)).toEqual(["older"]);
});
