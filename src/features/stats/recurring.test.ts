import { afterEach, beforeEach, expect, it } from "vitest";
import { failed, temporaryRuns } from "../../../test/support/runs-fixture.ts";
import { ran } from "../../../test/support/turn-fixture.ts";
import { findRecurringErrors } from "./recurring.ts";

let store: ReturnType<typeof temporaryRuns>;
beforeEach(() => {
  store = temporaryRuns();
});
afterEach(() => store.remove());

const session: ReturnType<typeof temporaryRuns>["session"] = (...given) => store.session(...given);

it("an error of three sessions comes back, with what it cost", () => {
  const error = "Exit code 1\nError: listen EADDRINUSE: address already in use";
  for (const [i, uid] of ["a", "b", "c"].entries())
    session(uid, i, ran("npm start", error, failed), ran("npm start", "ok"));
  session("d", 3, ran("npm start", "Exit code 1\nTypeError: handler is undefined here", failed));
  expect(findRecurringErrors(store.memory)).toEqual([
    expect.objectContaining({
      error: "Error: listen EADDRINUSE: address already in use",
      sessions: 3,
      cost_ms: 6000,
    }),
  ]);
});
