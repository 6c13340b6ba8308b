import { afterEach, beforeEach, expect, it } from "vitest";
import { failed, temporaryRuns } from "../../../test/support/runs-fixture.ts";
import { ran } from "../../../test/support/turn-fixture.ts";
import { wordAsMarkdown } from "../../answers/word-as-markdown.ts";
import type { StatsAnswer } from "./operation.ts";
import { findRecurringErrors } from "./recurring.ts";
import { wordStats } from "./words.ts";

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

it("the time until an error was gone is called the most that it can have cost, as other work may be in it", () => {
  for (const [i, uid] of ["a", "b", "c"].entries())
    session(
      uid,
      i,
      ran("npm start", "Exit code 1\nError: listen EADDRINUSE: address already in use", failed),
      ran("npm run docs", "ok"),
      ran("npm start", "ok"),
    );
  const total = { lines: 0, agent: 0, human: 0, unknown: 0, before_agents: 0 };
  const commits = { in_history: 0, looked_at: 0, with_agent: 0 };
  const answer = { total, commits, notes: [], recurring_errors: findRecurringErrors(store.memory) };
  const text = wordAsMarkdown(wordStats(answer as unknown as StatsAnswer, 5, 4), () => null);
  expect(text).toMatch(/at most lost.*sessions.*times.*error/);
  expect(text).not.toMatch(/\bcost\b/);
});
