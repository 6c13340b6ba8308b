import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, it } from "vitest";
import { builtKernel } from "../../../project/kernel.ts";
import { bundledWeights } from "./static-embedder.ts";
import { plainSums, sharingWeights, type TokenVectors, wasmSums } from "./token-sums.ts";
import { Tokenizer } from "./words.ts";

const vocabulary = ["read", "file", "open", "解", "é", ..."abcdefghijklmnopqrstuvwxyz0123456789"].flatMap(
  (token) => [token, `##${token}`],
);
const dimensions = 48;
const vectors = (most: number): TokenVectors => ({
  tokenizer: new Tokenizer(vocabulary),
  scales: Float32Array.from(vocabulary, (_, i) => 0.01 + i / 7),
  rows: Int8Array.from({ length: vocabulary.length * dimensions }, (_, i) => ((i * 7919) % 255) - 127),
  ...{ dimensions, most },
});
const module = new WebAssembly.Module(readFileSync(builtKernel()));

const text = fc.oneof(
  fc
    .array(fc.constantFrom("readFile", "open_file2", "解析", "café", "x".repeat(300), "解".repeat(400)), {
      maxLength: 30,
    })
    .map((words) => words.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);

it.each([20, 2000])("WebAssembly adds up the same vectors as plain TypeScript, %i tokens at most", (most) => {
  const [plain, wasm] = [plainSums(vectors(most)), wasmSums(module, vectors(most))];
  fc.assert(
    fc.property(text, (one) => {
      expect(wasm(one)).toEqual(plain(one));
    }),
  );
});

it("WebAssembly goes on when it has forgotten the runs that it knew", () => {
  const [plain, wasm] = [plainSums(vectors(2000)), wasmSums(module, vectors(2000))];
  const many = (from: number) => Array.from({ length: 9000 }, (_, i) => `w${from + i}`).join(" ");
  for (let round = 0; round < 7; round++) expect(wasm(many(round * 9000))).toEqual(plain(many(round * 9000)));
  expect(wasm("open the file, open it")).toEqual(plain("open the file, open it"));
});

const script = `
  const { getEnvironmentData, parentPort } = require("node:worker_threads");
  const given = getEnvironmentData("pommel: weights");
  if (given !== undefined) given.bytes[0] += 1;
  parentPort.postMessage(given?.bytes.length ?? null);`;

const answer = (worker: Worker) => new Promise((resolve) => worker.once("message", resolve));

it("weights in use are shared with the threads that are started so, and with no others", async () => {
  const { bytes } = bundledWeights();
  const before = bytes[0]!;
  expect(await answer(sharingWeights(() => new Worker(script, { eval: true })))).toBe(bytes.length);
  expect(bytes[0]).toBe((before + 1) % 256);
  bytes[0] = before;
  expect(await answer(new Worker(script, { eval: true }))).toBeNull();
});
