import { expect, it } from "vitest";
import { isUsageError } from "./usage-errors.ts";

it.each([
  ["error: unknown option '--watchAll'", true],
  ["`--apply` is not expected in this context", true],
  ["Error: Cannot find module '/home/dev/app/missing.js'\nRequire stack: []", true],
  ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from src/retry.test.ts", false],
  ["Error: Cannot find module './retry'\nRequire stack:\n- /home/dev/app/src/index.js", false],
])("tells a wrong call from an error of the code: %s", (error, isUsage) => {
  expect(isUsageError(error)).toBe(isUsage);
});
