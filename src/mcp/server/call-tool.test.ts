import { expect, it } from "vitest";
import { PommelError } from "../../project/errors.ts";
import { explain } from "./call-tool.ts";

it("errors name tools, not commands, as there may be no shell", () => {
  const missing = new PommelError(
    "not_found",
    'No session "x" is remembered.',
    "`pm session list` lists them.",
  );
  expect(explain("get_session", missing)).toBe(
    'not_found: No session "x" is remembered.\nsearch_sessions without a query lists them.',
  );
});
