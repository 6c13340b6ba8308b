import { Worker } from "node:worker_threads";
import * as z from "zod/mini";
import { builtFile } from "../../../project/built-file.ts";
import { asError } from "../../../project/thrown-error.ts";
import type { CareTask } from "./care.ts";

const answer = z.union([
  z.object({ done: z.nullable(z.string()) }),
  z.object({ code: z.string(), message: z.string(), hint: z.string() }),
]);

/** Reads the memory with 16 MB of SQLite's cache, and some rows at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };

/**
 * Does a task in a thread of its own: copying and checking 60 MB takes a second, in which a daemon must answer.
 * @returns what to write into the log; null when there was nothing to do, or `signal` ended it
 * @throws PommelError as `takeCare`
 */
export async function takeCareInThread(task: CareTask, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return null;
  const worker = new Worker(builtFile("care-worker.cjs"), { workerData: task, resourceLimits });
  worker.unref();
  const end = () => void worker.terminate();
  signal.addEventListener("abort", end);
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", (message: unknown) => {
        const said = z.parse(answer, message);
        if ("done" in said) resolve(said.done);
        else reject(asError(said));
      });
      worker.once("error", reject);
      worker.once("exit", () => resolve(null));
    });
  } finally {
    signal.removeEventListener("abort", end);
  }
}
