import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

/** Undoes one step of a start. */
export type UndoStep = () => unknown;

/** Undoes the steps of a start, the last one first. If one fails, the others are still undone. */
export async function runInReverse(endings: UndoStep[], log: Logger): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) {
    try {
      await end();
    } catch (error) {
      log.warn(`while stopping: ${getErrorMessage(error)}`);
    }
  }
}
