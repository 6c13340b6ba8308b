import { rmSync } from "node:fs";
import { getErrorCode } from "../../src/base/errors.ts";

/**
 * Deletes a directory in which a program that is ending may still create files. `maxRetries` of `rmSync` is no help: it tries
 * to delete the emptied directory again, and not what was created in it meanwhile.
 */
export function removeDirectory(dir: string): void {
  for (let triesLeft = 30; ; triesLeft--) {
    try {
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      if (triesLeft === 0 || getErrorCode(error) !== "ENOTEMPTY") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
