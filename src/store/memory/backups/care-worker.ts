import { parentPort, workerData } from "node:worker_threads";
import { toThrownError } from "../../../base/errors.ts";
import { type CareTask, takeCare } from "./care.ts";

/** A thread that does one task of `care.ts`, and ends. */

try {
  parentPort?.postMessage({ done: takeCare(workerData as CareTask) });
} catch (error) {
  parentPort?.postMessage(toThrownError(error));
}
