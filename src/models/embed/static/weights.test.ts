import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { bundledWeights } from "./static-embedder.ts";
import { sharingWeights } from "./weights.ts";

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
