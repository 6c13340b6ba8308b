import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readBundledWeights } from "./static-embedder.ts";
import { sumFewTexts, sumManyTexts, type TokenVectors, withSharedWeights } from "./token-sums.ts";
import { Tokenizer } from "./words.ts";

const vocabulary = ["read", "file", "open", "解", "é", ..."abcdefghijklmnopqrstuvwxyz0123456789"].flatMap(
  (token) => [token, `##${token}`],
);
const dimensions = 48;
const vectors = (most: number): TokenVectors => ({
  tokenizer: new Tokenizer(vocabulary),
  scales: Float32Array.from(vocabulary, (_, i) => 0.01 + i / 7),
  rows: Int8Array.from({ length: vocabulary.length * dimensions }, (_, i) => ((i * 7919) % 255) - 127),
  dimensions,
  most,
});

const text = fc.oneof(
  fc
    .array(fc.constantFrom("readFile", "open_file2", "解析", "café", "x".repeat(300), "解".repeat(400)), {
      maxLength: 30,
    })
    .map((words) => words.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);

it.each([20, 2000])("many texts get the vectors that few texts get, of %i tokens at most", (most) => {
  const [few, many] = [sumFewTexts(vectors(most)), sumManyTexts(vectors(most))];
  fc.assert(
    fc.property(text, (one) => {
      expect(many(one)).toEqual(few(one));
    }),
  );
});

it("many texts keep their vectors when the runs that were known are forgotten", () => {
  const [few, many] = [sumFewTexts(vectors(2000)), sumManyTexts(vectors(2000))];
  const words = (from: number) => Array.from({ length: 9000 }, (_, i) => `w${from + i}`).join(" ");
  for (let round = 0; round < 7; round++) expect(many(words(round * 9000))).toEqual(few(words(round * 9000)));
  expect(many("open the file, open it")).toEqual(few("open the file, open it"));
});

const script = `
  const { getEnvironmentData, parentPort } = require("node:worker_threads");
  const given = getEnvironmentData("pommel: weights");
  if (given !== undefined) given.bytes[0] += 1;
  parentPort.postMessage(given?.bytes.length ?? null);`;

const answer = (worker: Worker) => new Promise((resolve) => worker.once("message", resolve));

it("weights in use are shared with the threads that are started so, and with no others", async () => {
  const { bytes } = readBundledWeights();
  const before = bytes[0]!;
  expect(await answer(withSharedWeights(() => new Worker(script, { eval: true })))).toBe(bytes.length);
  expect(bytes[0]).toBe((before + 1) % 256);
  bytes[0] = before;
  expect(await answer(new Worker(script, { eval: true }))).toBeNull();
});
