import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { PommelError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { countSessionVectors } from "../../store/memory/chunks/vectors.ts";
import { createChunkEmbedSource } from "./embed.ts";
import { splitIntoPassages, splitTextBySpeaker } from "./passages.ts";

let stored: ReturnType<typeof temporaryMemory>;
const passes: EmbedPass[] = [];

beforeEach(() => {
  stored = temporaryMemory();
  const { id } = addSession(stored.memory, "s");
  const chunks = Array.from({ length: 70 }, (_, i) => chunk(i, `[USER] What about number ${i} of them?`));
  replaceChunks(stored.memory, id, { type: "raw", from: 0 }, chunks);
});

afterEach(async () => {
  await Promise.all(passes.splice(0).map((pass) => pass.close()));
  stored.remove();
});

function passWith(
  embed: (texts: readonly string[]) => Promise<(Int8Array | null)[]>,
  source = createChunkEmbedSource(stored.memory),
): EmbedPass {
  const model: Embedder = {
    id: "slow",
    dimensions: 2,
    prepare: async () => {},
    close: async () => {},
    embed,
  };
  const pass = new EmbedPass({
    source,
    models: [model],
    log: silentLog,
    retryMs: 1,
  });
  passes.push(pass);
  return pass;
}

const vectors = async (texts: readonly string[]) => texts.map(() => Int8Array.of(127, 0));

test("makes what is missing, and nothing twice", async () => {
  const embed = vi.fn(vectors);
  await passWith(embed).run();
  expect(countSessionVectors(stored.memory)).toEqual([{ model: "slow", chunks: 70, missing: 0 }]);
  const asked = embed.mock.calls.flatMap(([texts]) => texts);
  expect(asked).toHaveLength(70);
  expect(asked).toContain("What about number 7 of them?");
  await passWith(embed).run();
  expect(embed.mock.calls.flatMap(([texts]) => texts)).toHaveLength(70);
});

test("embeds what is stored while the pass is about to end", async () => {
  const source = createChunkEmbedSource(stored.memory);
  let isFirst = true;
  const pass = passWith(vectors, {
    ...source,
    async keepModels(models) {
      await source.keepModels(models);
      if (!isFirst) return;
      isFirst = false;
      replaceChunks(stored.memory, addSession(stored.memory, "late").id, { type: "raw", from: 0 }, [
        chunk(70, "[USER] Is this one too late?"),
      ]);
      void pass.run();
    },
  });
  await pass.run();
  expect(countSessionVectors(stored.memory)).toEqual([{ model: "slow", chunks: 71, missing: 0 }]);
});

test("waits for a model that is away, and goes on where it was", async () => {
  let isAway = false;
  let asked = 0;
  const pass = passWith(async (texts) => {
    if (isAway) throw new PommelError("embedder_unavailable", "It is away.");
    isAway = ++asked === 1;
    return vectors(texts);
  });
  const done = pass.run();
  await vi.waitFor(
    () => expect(pass.findProgress("slow")).toMatchObject({ state: "unavailable", problem: "It is away." }),
    60_000,
  );
  expect(countSessionVectors(stored.memory)[0]!.chunks).toBe(32);
  expect(pass.isBusy()).toBe(false);
  isAway = false;
  await done;
  expect(countSessionVectors(stored.memory)[0]!.chunks).toBe(70);
  expect(pass.findProgress("slow")).toMatchObject({ state: "resting", problem: null });
});

test("a text that the model fails on alone keeps no other from having a vector", async () => {
  const pass = passWith(async (texts) => {
    if (texts.some((text) => text.includes("number 7 "))) throw new Error("I choke on it");
    return vectors(texts);
  });
  await pass.run();
  expect(countSessionVectors(stored.memory)).toEqual([{ model: "slow", chunks: 70, missing: 1 }]);
});

test("the text of a stored chunk is split by speaker", () => {
  const text =
    "[NOTE] keep it\n\n[USER] Why?\n\nReally?\n\n[ASSISTANT] So.\n\n[TOOL_USE] Bash x\n[TOOL_RESULT] y";
  expect(splitTextBySpeaker(text)).toEqual({
    prompt: "keep it\nWhy?\n\nReally?",
    answer: "So.",
    actions: "Bash x\n[TOOL_RESULT] y",
    errors: "",
  });
  expect(splitTextBySpeaker("Asked:\n- why")).toMatchObject({ answer: "Asked:\n- why" });
});

const none = { prompt: "", answer: "", actions: "", errors: "" };

test("a passage for each paragraph or two, and one for the actions", () => {
  const first = "The token was compared with the old one. ".repeat(12).trim();
  const second = "Now both are read from the same place. ".repeat(8).trim();
  const passages = splitIntoPassages({
    prompt: "why does the resume test fail?",
    answer: `${first}\n\n${second}\nDone.`,
    actions: "Edit src/resume.ts",
    errors: "expected 1, got 2",
  });
  expect(passages).toEqual([
    "why does the resume test fail?",
    first,
    `${second}\nDone.`,
    "Edit src/resume.ts\nexpected 1, got 2",
  ]);
});

test("trivial text is not a passage, unless there is nothing else", () => {
  const question = "why does the resume test fail?";
  expect(splitIntoPassages({ ...none, prompt: question, answer: "Done." })).toEqual([question]);
  expect(splitIntoPassages({ ...none, prompt: "tabs", answer: "Done." })).toEqual(["tabs\nDone."]);
  expect(splitIntoPassages(none)).toEqual([]);
});

test("every word is in a passage, except in passages that are too short", () => {
  const said = fc.array(fc.stringMatching(/^[a-z]{21,80}( [a-z]{3,9}){0,20}$/), { maxLength: 20 });
  fc.assert(
    fc.property(said, (lines) => {
      const passages = splitIntoPassages({ ...none, answer: lines.join("\n") });
      expect(passages.join("\n")).toBe(lines.join("\n"));
    }),
  );
});
