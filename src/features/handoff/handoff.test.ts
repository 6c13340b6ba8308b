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
  wrote,
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

function commit(
  session: string,
  minutes: number,
  subject: string,
  turns: number[],
  { confidence = 1, files = [] }: { confidence?: number; files?: readonly string[] } = {},
): void {
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
    files.map((path) => ({ path, oldPath: null, status: "M", insertions: 1, deletions: 0, added: [] })),
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
    "- The agent said at the end: The lock is taken before the store opens.",
    "- `npm test` worked (turn 2)",
    "- Changed src/lock.ts",
  ]);
  expect(section("s1", "Open at its end")).toEqual([
    "- The Windows build still needs a named pipe. Want me to commit this?",
  ]);
  expect(section("s1", "Commands that worked")).toEqual(["- `npm test`"]);
  expect(buildHandoff(store.memory, "s1").text).not.toMatch(/NOT fixed|Pending/);
});

it("names the project's own checks and files, and commands that somebody can run again", async () => {
  await session(
    "s1",
    0,
    prompt("Build the page"),
    ran("git checkout -q build/phases-1-11", "ok"),
    ran("kubectl get job web-build-1", "done"),
    ran("npm run build", "ok"),
    edited("/private/tmp/scratch/probe.py", "a", "b"),
    edited(`${store.dir}/src/page.ts`, "a", "b"),
    text("Built."),
  );
  const done = section("s1", "Done");
  expect(done).toContain("- `npm run build` worked (turn 1)");
  expect(done.join()).not.toMatch(/checkout|kubectl/);
  expect(done).toContain("- Changed src/page.ts");
});

it("leaves out commands that need a variable of a shell that is gone", async () => {
  await session(
    "s1",
    0,
    prompt("Look at the pod"),
    ran('kubectl logs "$POD"', "ok"),
    ran("npm run report -- --to $OUT", "ok"),
    ran("npm run report -- --at $(git rev-parse HEAD)", "ok"),
    edited(`${store.dir}/src/page.ts`, "a", "b"),
    text("Looked."),
  );
  const listed = section("s1", "Commands that worked").join("\n");
  expect(listed).not.toMatch(/POD|OUT/);
  expect(listed).toContain("npm run report -- --at $(git rev-parse HEAD)");
});

it("asks no more what a commit or a later session answered", async () => {
  await session(
    "s1",
    0,
    prompt("Fix the lock of the store"),
    text("Fixed. Which name shall the pipe have on Windows, lock or store? Want me to commit this?"),
  );
  commit("s1", 2, "Take the lock first", [1]);
  expect(section("s1", "Open at its end")).toEqual([
    "- Which name shall the pipe have on Windows, lock or store?",
  ]);
  expect(section("s1", "Done")).toContain("- Commit cccccccc Take the lock first");
  await session("s2", 10, prompt("the name of the pipe on windows shall be store"), text("Named."));
  expect(section("s1", "Open at its end")).toEqual([]);
});

it("asks no more for a plan or a command that a later session was begun with", async () => {
  const plan = "# Plan: Fast, opt-in pipeline test\n\nSteps of it";
  await session(
    "s1",
    0,
    prompt("A test should take a small section, and be marked so that nobody runs it by chance"),
    text("Let me present the plan."),
    used("ExitPlanMode", { plan }, null),
  );
  expect(section("s1", "Open at its end").join()).toContain("Fast, opt-in pipeline test");
  await session("s2", 2, prompt(`Implement the following plan: ${plan} of another sort of words entirely`));
  expect(section("s1", "Open at its end")).toEqual([]);
  await session(
    "s3",
    20,
    prompt("Audit the milestone"),
    text("Audited.\n\n## Remaining\n\n- **Plan gap closure** for the quality report\n\n`/work:plan-gaps 44`"),
  );
  expect(section("s3", "Open at its end").join()).toContain("Plan gap closure");
  await session("s4", 30, prompt("/work:plan-gaps 44 --auto"), text("Planned."));
  expect(section("s3", "Open at its end")).toEqual([]);
});

it("does not name a commit that only may be the session's", async () => {
  await session("s1", 0, prompt("Fix the lock"), text("The lock is fixed now, and its test passes."));
  commit("s1", 2, "Something else", [1], { confidence: 0.5 });
  expect(section("s1", "Done").join()).not.toContain("Something else");
});

it("leaves out a check that the agent says passes, and one of a session that changed nothing", async () => {
  await session(
    "s1",
    0,
    prompt("Check the types"),
    wrote("lock.ts", "export const lock = 1;"),
    ran("npx tsc --noEmit", "1 error", { isError: true }),
    text("The error is gone, and the code passes `npm run check`."),
  );
  expect(section("s1", "Open at its end")).toEqual([]);
  await session(
    "s2",
    10,
    prompt("Why does it fail?"),
    ran("npm test", "no vitest", { isError: true }),
    text("It is not there."),
  );
  expect(section("s2", "Open at its end")).toEqual([]);
});

it("asks no more once anybody began something else, and still says what is not done", async () => {
  await session(
    "s1",
    0,
    prompt("Build the page"),
    text("Built. The certificate still needs your approval. Which color shall the page have, red or blue?"),
  );
  expect(section("s1", "Open at its end")[0]).toContain("red or blue?");
  await session("s2", 10, prompt("Read the log of the network"), text("It is read."));
  expect(section("s1", "Open at its end")).toEqual([
    "- The certificate still needs your approval.",
    "- 1 session of this project came after it: check what they did of this.",
  ]);
});

it("does not ask to store what somebody worked on later, nor tell of a turn that they went on from", async () => {
  await session("s1", 0, prompt("Fix the lock"), text("The lock is taken first. Want me to commit this?"));
  expect(section("s1", "Open at its end")).toEqual(["- Want me to commit this?"]);
  const id = await session("s2", 10, prompt("Rename the store"), ran("ls"));
  expect(section("s1", "Open at its end")).toEqual([]);
  const interrupted = { prompt: "and the docs", state: "interrupted" as const };
  saveTurn(store.memory, id, turn(2, { ...interrupted, startedAt: fixtureStart + 11 * minute }));
  expect(section("s2", "Open at its end")).toHaveLength(1);
  await session("s3", 200, prompt("Write the words of the page"), text("The words are there now."));
  expect(section("s2", "Open at its end")).toEqual([]);
});

it("names a check that failed at last, until it worked in a later session", async () => {
  await session(
    "s1",
    0,
    prompt("Run the tests"),
    wrote("lock.ts", "export const lock = 1;"),
    ran("npm test", "1 failed", { isError: true }),
    text("One fails."),
  );
  expect(section("s1", "Open at its end")).toEqual(["- `npm test` failed when it last ran (turn 1)."]);
  await session("s2", 10, prompt("fix them"), ran("npm test", "ok"), text("Fixed."));
  expect(section("s1", "Open at its end")).toEqual([]);
});

it("believes an agent that says at the end that all is well", async () => {
  await session(
    "said",
    0,
    prompt("Run the lint"),
    ran("npm run lint", "2 problems", { isError: true }),
    text("Lint passes now, the two problems were stale."),
  );
  expect(section("said", "Open at its end")).toEqual([]);
});

it("quotes a prompt that was not answered to the end", async () => {
  const id = await session("s1", 0, prompt("Rename the store"), ran("ls"));
  saveTurn(
    store.memory,
    id,
    turn(2, { prompt: "and the docs", state: "interrupted", startedAt: fixtureStart + 50 }),
  );
  expect(section("s1", "Open at its end")).toEqual([
    '- The last turn was interrupted (turn 2): "and the docs".',
  ]);
});

it("says no more what was left in a file that a later commit changed", async () => {
  await session(
    "s1",
    0,
    prompt("Fix the lock"),
    text(
      "Fixed. `deploy/server.yaml` still needs your new image.\n\nThe certificate still needs your approval.",
    ),
  );
  expect(section("s1", "Open at its end").join()).toContain("deploy/server.yaml");
  commit("other", 30, "Release the version", [1], { files: ["deploy/server.yaml"] });
  expect(section("s1", "Open at its end")).toEqual(["- The certificate still needs your approval."]);
});

it("asks no more for a merge that was made", async () => {
  const words = (number: number) =>
    `Pushed to fix/lock and opened https://github.com/a/b/pull/${number}.\n\nThe pull request remains open until somebody merges it.`;
  await session("s1", 0, prompt("Fix the lock of the store"), text(words(7)));
  await session("s2", 1, prompt("Fix the pipe of the store"), text(words(9).replace("fix/lock", "fix/pipe")));
  expect(section("s1", "Open at its end")).toHaveLength(2);
  commit("other", 5, "Merge pull request #7 from ann/fix/lock", [1]);
  expect(section("s1", "Open at its end")).toEqual([]);
  expect(section("s2", "Open at its end")).toHaveLength(1);
  commit("other", 6, "Mend the pipe (#9)", [1]);
  expect(section("s2", "Open at its end")).toEqual([]);
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
  expect(section("s1", "Open at its end").join()).toContain("Not ticked off: Write the migration guide");
  commit("s1", 2, "The new schema", [1]);
  expect(section("s1", "Open at its end")).toEqual([]);
  await session(
    "s2",
    10,
    prompt("Migrate"),
    used("TodoWrite", { todos }),
    text("On it."),
    prompt("forget it, write a test instead"),
    text("The test of the schema is written and passes."),
  );
  expect(section("s2", "Open at its end")).toEqual([]);
});
