import { afterEach, beforeEach, expect, it } from "vitest";
import { edited } from "../../../test/support/attribution-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { makeNewProject } from "../../base/paths.ts";
import { saveCommands } from "../../store/memory/commands.ts";
import { findSetbacks } from "./setbacks.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

it("says in which files commands failed, and of which commits were reverted", async () => {
  await repo.commitAndTake("first", { "src/a/one.ts": "1\n", "src/b/two.ts": "2\n", "src/b/one.ts": "3\n" });
  repo.did("s", edited(`${repo.root}/src/a/one.ts`, ["+9"], repo.soon()));
  const { id: turnId } = repo.memory.prepare("SELECT id FROM turns LIMIT 1").get() as { id: number };
  const failed = (seq: number, error: string) => ({
    seq,
    step: 0,
    at: seq,
    tookMs: 1,
    directory: "",
    line: "npm test",
    name: "npm test",
    form: "npm test",
    purpose: "test",
    outcome: "failed" as const,
    status: 1,
    error,
    signatures: [],
  });
  saveCommands(repo.memory, turnId, [
    failed(1, "src/a/one.ts:3:1: undefined: x"),
    failed(2, "FAIL two.ts (4 tests)\n  at ../b/two.ts:7"),
    // Two files have that name, and none the other.
    failed(3, "one.ts:1 gone.ts:2 v1.2"),
  ] as never);
  const first = await repo.commitAndTake("second", { "src/a/one.ts": "1\n2\n" });
  const revert = await repo.commitAndTake(`Revert "second"\n\nThis reverts commit ${first}.`, {
    "src/a/one.ts": "1\n",
  });
  const found = await findSetbacks(makeNewProject(repo.root), repo.memory, null);
  expect(found).toEqual([
    {
      file: "src/a/one.ts",
      failures: 1,
      last_failure: { session_id: "s", turn: expect.any(Number) },
      reverts: 1,
      last_revert: revert,
    },
    {
      file: "src/b/two.ts",
      failures: 1,
      last_failure: { session_id: "s", turn: expect.any(Number) },
      reverts: 0,
      last_revert: null,
    },
  ]);
  expect(await findSetbacks(makeNewProject(repo.root), repo.memory, Date.now() + 1e9)).toEqual([]);
});
