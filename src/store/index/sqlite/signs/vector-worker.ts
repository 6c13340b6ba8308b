import { parentPort, workerData } from "node:worker_threads";
import { SqliteIndex } from "../sqlite-index.ts";
import type { VectorAnswer, VectorRequest, VectorThreadSettings } from "./vector-thread.ts";

/** A thread that compares vectors: see vector-thread.ts. */

const port = parentPort!;
const { file, models } = workerData as VectorThreadSettings;
const index = SqliteIndex.open(file, { readonly: true, mapped: true });
for (const model of models) index.loadVectors(model);

port.on("message", async ({ id, what, args }: VectorRequest) => {
  const ask = index[what].bind(index) as (...args: readonly unknown[]) => Promise<unknown>;
  const answer: VectorAnswer = await ask(...args).then(
    (done) => ({ id, done }),
    (failed: Error) => ({ id, failed }),
  );
  port.postMessage(answer);
});
