import { afterEach, beforeEach, expect, it } from "vitest";
import { wrote } from "../../../test/support/attribution-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { makeNewProject } from "../../base/paths.ts";
import { formatPromptStatus, formatSessionStatus } from "../../faces/hooks/statusline-words.ts";
import { buildStatusline } from "./line.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

it("says how much of a session's commits its agent wrote, and nothing of what is not recorded", async () => {
  await repo.commitAndTake("Start", { "a.ts": "start();\n" });
  repo.did("one", wrote(`${repo.root}/b.ts`, "first();\nsecond();\nthird();\n", repo.soon()));
  await repo.commitAndTake("Add", { "b.ts": "first();\nsecond();\nthird();\n", "c.ts": "byHand();\n" });
  const about = { project: makeNewProject(repo.root), memory: repo.memory };
  const known = await buildStatusline(about, { session_id: "one" });
  expect(known).toMatchObject({ sessions: 1, session: { lines: { agent: 3 }, injected: 0, used: 0 } });
  expect(formatSessionStatus(known)).toBe(
    "pommel: wrote 75% of what it committed, nothing injected, 1 session",
  );
  expect(formatSessionStatus(await buildStatusline(about, { session_id: "two" }))).toBe("pommel: 1 session");
  expect(formatPromptStatus({ ...known, running: 2 })).toBe("pommel 2 running");
  expect(formatPromptStatus({ ...known, running: 2, waiting: 1 })).toBe("pommel 2 running, 1 waits for you");
  expect(formatPromptStatus({ ...known, running: 0 })).toBe("");
  expect(formatPromptStatus({ ...known, running: 2, overlaps: 1 })).toBe("pommel 2 running, 1 overlap");
  expect(formatSessionStatus({ sessions: 3, overlaps: 2 })).toBe("pommel: 2 overlaps, 3 sessions");
  // Another program answers in the daemon's place.
  const text = "\x1b]0;title\x07";
  const other = {
    running: text,
    sessions: text,
    session: { lines: { agent: text }, injected: text, used: [] },
  };
  expect([formatPromptStatus(other), formatSessionStatus(other)]).toEqual([
    "",
    "pommel: nothing injected, 0 sessions",
  ]);
  expect(formatSessionStatus({ session: 7 })).toBe("pommel: 0 sessions");
});
