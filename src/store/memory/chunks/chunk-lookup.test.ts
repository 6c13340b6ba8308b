import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import type { SessionChunkId } from "../memory-records.ts";
import { allChunks, listChunkIds } from "./chunk-filter.ts";
import { chooseRareTokens, matchSessionTokens } from "./chunk-lookup.ts";
import { replaceChunks } from "./chunks.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeAll(() => {
  store = temporaryMemory();
});
afterAll(() => store.remove());

it("leaves out the tokens of more than half of the chunks, where there are many and others remain", () => {
  const { memory } = store;
  const { id } = addSession(memory, "s");
  const chunks = Array.from({ length: 1000 }, (_, i) =>
    chunk(i, `common ${i < 500 ? "half" : "other"} ${i === 7 ? "rare" : ""}`),
  );
  const replace = (count: number) =>
    replaceChunks(memory, id, { type: "raw", from: 0 }, chunks.slice(0, count));
  replace(999);
  expect(chooseRareTokens(memory, ["common", "rare"])).toEqual(["common", "rare"]);
  replace(1000);
  expect(chooseRareTokens(memory, ["common", "half", "rare", "unknown"])).toEqual([
    "half",
    "rare",
    "unknown",
  ]);
  expect(chooseRareTokens(memory, ["common"])).toEqual(["common"]);
});

it("scores as few chunks as it can, and finds the best of all of them, of any scope", () => {
  const words = Array.from({ length: 12 }, (_, i) => `word${"abcdefghijkl"[i]}`);
  const weights = { prompt: 1.5, answer: 1, actions: 0.4, errors: 0.5 };
  // The commonest words are in every second chunk, the rarest in few; some are repeated, as long chunks do.
  const text = fc.array(
    fc.nat(999).map((n) => words[Math.min(Math.floor(Math.log2(1 + n)), words.length - 1)]!),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 120, maxLength: 160 }),
      fc.subarray(words, { minLength: 1 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (texts, tokens, limit, isScoped) => {
        const { memory, remove } = temporaryMemory();
        try {
          const { id } = addSession(memory, "s");
          const chunks = texts.map((one, i) =>
            chunk(i, one.join(" "), { branch: i % 3 === 0 ? "side" : "main" }),
          );
          replaceChunks(memory, id, { type: "raw", from: 0 }, chunks);
          // FTS5 goes on to count rows that are gone.
          replaceChunks(memory, id, { type: "raw", from: 0 }, chunks.slice(0, -20));
          const filter = { ...allChunks, branch: isScoped ? "main" : null };
          const wanted = new Set<SessionChunkId>(listChunkIds(memory, filter));
          const every = matchSessionTokens(memory, tokens, weights, 1000, allChunks);
          const best = every.filter((one) => wanted.has(one.id)).slice(0, limit);
          const found = matchSessionTokens(memory, tokens, weights, limit, filter);
          expect(found.map(({ score }) => score)).toEqual(best.map(({ score }) => score));
          expect(found.every((one) => wanted.has(one.id))).toBe(true);
        } finally {
          remove();
        }
      },
    ),
    { numRuns: 15 },
  );
});

it("scores what is better than it may seem", () => {
  const { memory, remove } = temporaryMemory();
  try {
    const { id } = addSession(memory, "s");
    const filler = Array.from({ length: 400 }, (_, i) => `filler${i}`).join(" ");
    const texts = [
      ...Array.from({ length: 20 }, () => `quokka wombat ${filler}`),
      "quokka quokka quokka",
      ...Array.from({ length: 200 }, () => "nothing"),
    ];
    const ids = replaceChunks(
      memory,
      id,
      { type: "raw", from: 0 },
      texts.map((text, i) => chunk(i, text)),
    );
    const weights = { prompt: 1, answer: 1, actions: 1, errors: 1 };
    const [best] = matchSessionTokens(memory, ["quokka", "wombat"], weights, 1, allChunks);
    expect(best?.id).toBe(ids[20]);
  } finally {
    remove();
  }
});
