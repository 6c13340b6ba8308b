import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryRuns } from "../../../test/support/runs-fixture.ts";
import { prompt } from "../../../test/support/turn-fixture.ts";
import { findFixes } from "../../sessions/fixes/find-fixes.ts";
import { findMentions } from "./find-mentions.ts";

let store: ReturnType<typeof temporaryRuns>;
beforeEach(() => {
  store = temporaryRuns();
});
afterEach(() => store.remove());

it("finds an error that was only said", async () => {
  const pasted = "this fails:\n--- FAIL: TestReverted (3.40s)\n    x_test.go:9: the branch is gone";
  store.session("s", 0, prompt(pasted));
  const error = "--- FAIL: TestReverted (1.00s)";
  expect(findFixes([store.dir], store.memory, { error, limit: 3 }).verdict).toBe("none");
  expect((await findMentions(store.memory, error)).mentions).toMatchObject([
    { session_id: "s", turn: 2, text: "--- FAIL: TestReverted (3.40s)" },
  ]);
  expect(await findMentions(store.memory, "--- FAIL: TestNobodyMet")).toEqual({ mentions: [], notes: [] });
});
