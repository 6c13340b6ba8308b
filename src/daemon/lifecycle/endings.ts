import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

/** Undoes a step of a beginning. */
export type Ending = () => unknown;

/** Undoes the steps of a beginning, the last one first; one that fails keeps no other from it. */
export async function runInReverse(endings: Ending[], log: Logger): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) {
    try {
      await end();
    } catch (error) {
      log.warn(`while stopping: ${getErrorMessage(error)}`);
    }
  }
}
