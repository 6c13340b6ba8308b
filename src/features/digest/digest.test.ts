import { afterEach, beforeEach, expect, it } from "vitest";
import { edited } from "../../../test/support/attribution-fixture.ts";
import { addSession, chunk, deciding, turn } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { makeNewProject } from "../../base/paths.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { findSession, saveSession } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { saveUsage } from "../../store/memory/sessions/usage.ts";
import { buildDigest } from "./digest.ts";
import type { digestRequest } from "./operation.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

const day = 86_400_000;
const start = Date.parse("2026-03-02T09:00:00Z");
const ask = (more: Shaped<typeof digestRequest> = {}) =>
  buildDigest(makeNewProject(repo.root), repo.memory, { since: "2026-03-02T00:00:00Z", ...more });

/** A session of a day with two prompts, the first on the day before, and one of a subagent's. */
function work(uid: string, branch: string, author: string | null = null): void {
  const session = addSession(repo.memory, uid, { branch, startedAt: start - day, lastAt: start + 2000 });
  if (author !== null) saveSession(repo.memory, { uid, agent: "claude", cwd: "/repo", author });
  const usage = { model: "opus", output: 100, cacheRead: 10, cacheWrite: 1, cacheWriteHour: 0 };
  for (const [number, at, prompt] of [
    [1, start - day, "Find out why the importer is slow"],
    [2, start, "yes"],
    [3, start + 1000, "Now make the importer read files in parallel"],
  ] as const) {
    const files = [{ path: `src/${uid}.ts`, how: "edit" as const }];
    const state = number === 3 ? "interrupted" : "completed";
    saveTurn(
      repo.memory,
      session.id,
      turn(number, { prompt, startedAt: at, endedAt: at, files, state, branch }),
    );
    saveUsage(repo.memory, session.id, [
      { ...usage, messageUid: `${uid}${number}`, turn: number, input: number },
    ]);
  }
  const child = addSession(repo.memory, `${uid}/child`, {
    parentId: session.id,
    startedAt: start,
    lastAt: start,
  });
  saveTurn(repo.memory, child.id, turn(1, { startedAt: start, endedAt: start }));
  saveUsage(repo.memory, child.id, [{ ...usage, messageUid: `${uid}c`, turn: 1, input: 1000 }]);
}

it("has what sessions were asked and cost in that time, and no more", async () => {
  work("aaaa", "main");
  const { parts } = await ask();
  expect(parts).toMatchObject([
    {
      name: null,
      sessions_total: 1,
      sessions: [
        {
          id: "aaaa",
          asked: ["Now make the importer read files in parallel"],
          prompts: 2,
          files: ["src/aaaa.ts"],
        },
      ],
      unfinished: [{ id: "aaaa", last_state: "interrupted" }],
      tokens: [{ model: "opus", input: 1005, output: 300 }],
    },
  ]);
  expect((await ask({ since: "2026-03-04" })).parts).toMatchObject([{ sessions_total: 0, tokens: [] }]);
});

it("has the commits and decisions of that time", async () => {
  await repo.commitAndTake("before", { "a.ts": "first\n" });
  repo.did("s", edited(`${repo.root}/a.ts`, ["+sorted"], repo.soon()));
  const hash = await repo.commitAndTake("Sort", { "a.ts": "first\nsorted\n" });
  replaceChunks(repo.memory, findSession(repo.memory, "s").id, { type: "raw", from: 0 }, [
    chunk(0, "[USER] Let's sort the rows", {
      ...deciding("Let's sort the rows"),
      files: ["a.ts"],
      startedAt: repo.now(),
      endedAt: repo.now(),
    }),
  ]);
  const since = new Date(repo.now() - day).toISOString();
  expect((await ask({ since })).parts).toMatchObject([
    {
      commits: [{ commit: hash, subject: "Sort" }],
      decisions: [{ text: "Let's sort the rows", session_id: "s" }],
    },
  ]);
});

it("has a part for each branch, and can be one person's", async () => {
  work("aaaa", "main");
  work("bbbb", "topic", "bob@acme.test");
  const { parts } = await ask({ by: "branch" });
  expect(parts.map(({ name, sessions, tokens }) => [name, sessions[0]?.id, tokens[0]?.input])).toEqual([
    ["topic", "bbbb", 1005],
    ["main", "aaaa", 1005],
  ]);
  expect((await ask({ author: "bob" })).parts).toMatchObject([
    { sessions_total: 1, sessions: [{ id: "bbbb" }], tokens: [{ input: 1005 }] },
  ]);
});

it("says how many commits there were, those without a session too, where all are asked for", async () => {
  await repo.commitAndTake("by hand", { "a.ts": "one\n" });
  repo.did("s", edited(`${repo.root}/a.ts`, ["+const sorted = sortRows(rows, byName);"], repo.soon()));
  await repo.commitAndTake("by an agent", { "a.ts": "one\nconst sorted = sortRows(rows, byName);\n" });
  const since = "2000-01-01T00:00:00Z";
  const answer = await ask({ since });
  expect(answer.commits_in_history).toBe(2);
  expect(answer.parts[0]!.commits_total).toBe(1);
  expect(answer.notes).toEqual([]);
  expect((await ask({ since, branch: "main" })).commits_in_history).toBeUndefined();
  addSession(repo.memory, "early", { startedAt: repo.now() - 1000, lastAt: repo.now() });
  repo.commit("nobody looked at it yet", { "b.ts": "two\n" });
  expect((await ask({ since })).notes.join()).toMatch(
    /^1 commit is not analysed yet, so which sessions led to them is not known: /,
  );
});
