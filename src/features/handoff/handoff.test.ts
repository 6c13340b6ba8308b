import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import {
  conversation,
  edited,
  fixtureStart,
  prompt,
  ran,
  summary,
  text,
  used,
} from "../../../test/support/turn-fixture.ts";
import { turnToStore } from "../../sessions/ingest/turns.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { summarise } from "../../sessions/summaries/summarise.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../store/memory/commits/commits.ts";
import { saveSummary } from "../../store/memory/sessions/summaries.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { buildHandoff } from "./handoff.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

const minute = 60_000;

async function session(
  uid: string,
  minutes: number,
  ...happenings: Parameters<typeof conversation>
): Promise<number> {
  const at = fixtureStart + minutes * minute;
  const { id } = addSession(store.memory, uid, {
    cwd: store.dir,
    branch: "topic",
    startedAt: at,
    lastAt: at + minute,
  });
  const relativize = createRelativizer({ root: store.dir, worktrees: [], cwd: store.dir });
  for (const one of conversation({ at }, ...happenings))
    saveTurn(store.memory, id, turn(one.number, turnToStore(one, relativize)));
  const turns = () => readStoredTurns(store.memory, id);
  for (const one of await summarise(turns, { llm: null, relativize, onFailure: () => {} }))
    saveSummary(store.memory, { ...one, sessionId: id, at });
  return id;
}

function commit(session: string, minutes: number, subject: string, turns: number[], confidence = 1): void {
  const at = fixtureStart + minutes * minute;
  const hash = `${minutes}`.padStart(40, "c");
  const { id } = saveCommit(
    store.memory,
    {
      hash,
      tree: hash,
      parents: [],
      branch: "topic",
      author: "Ann",
      subject,
      authoredAt: at,
      committedAt: at,
      insertions: 1,
      deletions: 0,
      seen: "hook",
      attributed: 1,
      patchId: null,
      rewrittenFrom: [],
    },
    [],
  );
  saveCheckpoint(store.memory, {
    uid: hash.slice(-12),
    commitId: id,
    parentUid: null,
    agentState: {},
    createdAt: at,
    sessions: [{ sessionUid: session, turns, lines: 1, how: "lines", confidence }],
  });
}

/** The items below a heading. */
function section(uid: string, name: string): string[] {
  const found = buildHandoff(store.memory, uid)
    .text.split("\n\n## ")
    .find((part) => part.startsWith(`${name}\n`));
  return (found ?? "").split("\n").filter((line) => line.startsWith("- "));
}

const compaction =
  "7. Pending Tasks:\n   - Commit the fix of the lock\n\n8. Current Work:\n   The lock is NOT fixed, run the tests.";

it("tells what was done, how the checks went, and only what is open at the end", async () => {
  await session(
    "s1",
    0,
    prompt("Fix the lock of the store, it is taken too late"),
    ran("npm test", "1 failed", { isError: true }),
    summary(compaction),
    prompt("go on"),
    edited(`${store.dir}/src/lock.ts`, "open()", "lock(); open()"),
    ran("npm test", "ok"),
    text(
      "The lock is taken before the store opens.\n\nThe Windows build still needs a named pipe. Want me to commit this?",
    ),
  );
  expect(section("s1", "Done")).toEqual([
    "- The lock is taken before the store opens.",
    "- `npm test` worked (turn 2)",
    "- Changed src/lock.ts",
  ]);
  expect(section("s1", "Open")).toEqual([
    "- The Windows build still needs a named pipe. Want me to commit this?",
  ]);
  expect(section("s1", "Commands that work")).toEqual(["- `npm test`"]);
  expect(buildHandoff(store.memory, "s1").text).not.toMatch(/NOT fixed|Pending/);
});

it("asks no more what a commit or a later session answered", async () => {
  await session(
    "s1",
    0,
    prompt("Fix the lock of the store"),
    text("Fixed.\n\nShould I document the named pipe for Windows as well? Want me to commit this?"),
  );
  commit("s1", 2, "Take the lock first", [1]);
  expect(section("s1", "Open")).toEqual(["- Should I document the named pipe for Windows as well?"]);
  expect(section("s1", "Done")).toContain("- Commit cccccccc Take the lock first");
  await session("s2", 10, prompt("document the named pipe of windows"), text("Documented."));
  expect(section("s1", "Open")).toEqual([]);
});

it("does not name a commit that only may be the session's", async () => {
  await session("s1", 0, prompt("Fix the lock"), text("The lock is fixed now, and its test passes."));
  commit("s1", 2, "Something else", [1], 0.5);
  expect(section("s1", "Done").join()).not.toContain("Something else");
});

it("names a check that failed at last, until it worked in a later session", async () => {
  await session(
    "s1",
    0,
    prompt("Run the tests"),
    ran("npm test", "1 failed", { isError: true }),
    text("One fails."),
  );
  expect(section("s1", "Open")).toEqual(["- `npm test` failed when it last ran (turn 1)."]);
  await session("s2", 10, prompt("fix them"), ran("npm test", "ok"), text("Fixed."));
  expect(section("s1", "Open")).toEqual([]);
});

it("believes an agent that says at the end that all is well", async () => {
  await session(
    "said",
    0,
    prompt("Run the lint"),
    ran("npm run lint", "2 problems", { isError: true }),
    text("Lint passes now, the two problems were stale."),
  );
  expect(section("said", "Open")).toEqual([]);
});

it("quotes a prompt that was not answered to the end", async () => {
  const id = await session("s1", 0, prompt("Rename the store"), ran("ls"));
  saveTurn(
    store.memory,
    id,
    turn(2, { prompt: "and the docs", state: "interrupted", startedAt: fixtureStart + 50 }),
  );
  expect(section("s1", "Open")).toEqual(['- The last turn was interrupted (turn 2): "and the docs".']);
});

it("names items of the agent's own list only if it kept that to the end", async () => {
  const todos = [{ content: "Write the migration guide", status: "pending" }];
  await session(
    "s1",
    0,
    prompt("Migrate"),
    used("TodoWrite", { todos }),
    text("The schema is migrated now."),
  );
  expect(section("s1", "Open").join()).toContain("Write the migration guide");
  await session(
    "s2",
    10,
    prompt("Migrate"),
    used("TodoWrite", { todos }),
    text("On it."),
    prompt("forget it, write a test instead"),
    text("The test of the schema is written and passes."),
  );
  expect(section("s2", "Open")).toEqual([]);
});
