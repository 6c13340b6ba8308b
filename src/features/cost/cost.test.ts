import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addCheckpoint, binding } from "../../../test/support/checkpoint-rows-fixture.ts";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { makeNewProject } from "../../base/paths.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { saveUsage } from "../../store/memory/sessions/usage.ts";
import { formatCost } from "./amount-words.ts";
import { showCost } from "./answer.ts";
import type { costRequest } from "./operation.ts";
import { describeBasis, describeTotal } from "./words.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

const noon = Date.parse("2026-03-02T12:00:00Z");
const day = 86_400_000;
const ask = (request: Shaped<typeof costRequest> = {}) =>
  showCost({ project: makeNewProject(store.dir), memory: store.memory }, request);

interface Work {
  model?: string;
  output?: number;
  messages?: number;
  input?: number;
}

/** A session with two turns, a day apart, on two branches. */
function work(uid: string, { model = "claude-opus-4-5", messages = 1, ...of }: Work = {}, parentId?: number) {
  const session = addSession(store.memory, uid, {
    title: { text: `About ${uid}`, source: "agent" },
    branch: "main",
    startedAt: noon,
    lastAt: noon + day,
    ...(parentId !== undefined && { parentId }),
  });
  for (const number of [1, 2]) {
    const startedAt = noon + (number - 1) * day + (parentId === undefined ? 0 : 60_000);
    const branch = number === 1 ? "main" : "fix";
    saveTurn(store.memory, session.id, turn(number, { startedAt, branch }));
    const usage = { turn: number, model, input: 1e5, output: 1e4, cacheRead: 0, cacheWrite: 0, ...of };
    const uids = Array.from({ length: messages }, (_, i) => `${uid}-${number}-${i}`);
    const all = uids.map((messageUid) => ({ ...usage, messageUid, cacheWriteHour: 0 }));
    saveUsage(store.memory, session.id, all);
  }
  return session;
}

const list = async (request: Shaped<typeof costRequest>) =>
  (await ask(request)).rows.map(({ name, dollars, sessions }) => [name, dollars, sessions]);

describe("cost", () => {
  it("is summed up by day, branch, session, model and week, with that of subagents", async () => {
    const { id } = work("a");
    work("a/child", { model: "claude-haiku-4-5" }, id);
    work("b");
    expect(await list({})).toEqual([
      ["2026-03-03", 1.65, 2],
      ["2026-03-02", 1.65, 2],
    ]);
    expect(await list({ by: "branch" })).toEqual([
      ["main", 1.65, 2],
      ["fix", 1.65, 2],
    ]);
    expect(await list({ by: "session" })).toEqual([
      ["a", 1.8, 1],
      ["b", 1.5, 1],
    ]);
    expect(await list({ by: "model" })).toEqual([
      ["claude-opus-4-5", 3, 2],
      ["claude-haiku-4-5", 0.3, 1],
    ]);
    expect(await list({ by: "week" })).toEqual([["2026-03-02", 3.3, 2]]);
  });

  it("of a session is summed up by turn, subagents with the turn that started them", async () => {
    const { id } = work("a");
    work("a/child", { model: "claude-haiku-4-5" }, id);
    work("b");
    const answer = await ask({ session: "a" });
    expect(answer).toMatchObject({ by: "turn", total: { dollars: 1.8, sessions: 1 } });
    expect(answer.rows.map(({ name, dollars }) => [name, dollars])).toEqual([
      ["1", 0.9],
      ["2", 0.9],
    ]);
  });

  it("of a prompt counts for the next commit of its session, and of a subagent's commit for its session", async () => {
    const { id } = work("a");
    work("a/child", { model: "claude-haiku-4-5" }, id);
    work("b");
    addCheckpoint(store.memory, "c1", "one", [binding("a", [1])], { committedAt: noon + 5 });
    // The same, amended: the latest is the one that is still there.
    addCheckpoint(store.memory, "c2", "two", [binding("a", [1])], { committedAt: noon + 9 });
    addCheckpoint(store.memory, "c3", "three", [binding("a/child", [1])], { committedAt: noon + day + 1 });
    const rows = (await ask({ by: "commit" })).rows.map(({ name, title, dollars }) => [name, title, dollars]);
    expect(rows).toEqual([
      ["", null, 1.5],
      ["two", "Commit two", 0.9],
      ["three", "Commit three", 0.9],
    ]);
    const unsure = { ...binding("b", [1]), confidence: 0.3 };
    addCheckpoint(store.memory, "c4", "four", [unsure], { committedAt: noon + 5 });
    expect((await ask({ by: "commit" })).rows.map(({ name }) => name)).not.toContain("four");
  });

  it("of a pull request is that of its commits", async () => {
    const { git, commit } = temporaryGit(store.dir);
    const first = commit("first", { "a.ts": "1\n" });
    git("checkout", "--quiet", "-b", "fix");
    const second = commit("second", { "a.ts": "2\n" });
    work("a");
    addCheckpoint(store.memory, "c1", first, [binding("a", [1])]);
    addCheckpoint(store.memory, "c2", second, [binding("a", [2])], { committedAt: 2000 });
    const names = async (commits: string) => (await ask({ commits })).rows.map(({ name }) => name);
    expect(await names("main..fix")).toEqual([second]);
    expect(await names("HEAD~1")).toEqual([first]);
    expect((await ask({ commits: "main..", by: "turn" })).total.dollars).toBe(0.75);
    await expect(ask({ commits: "main..nowhere" })).rejects.toThrow('No commit "nowhere".');
  });

  it("is that of a time or a branch", async () => {
    work("a");
    expect(await list({ since: "2026-03-03" })).toEqual([["2026-03-03", 0.75, 1]]);
    expect(await list({ until: "2026-03-02T20:00:00Z" })).toEqual([["2026-03-02", 0.75, 1]]);
    expect(await list({ branch: "fix" })).toEqual([["2026-03-03", 0.75, 1]]);
    expect((await ask({ by: "session", limit: 1 })).rows_total).toBe(1);
  });

  it("counts long prompts at their price", async () => {
    work("a", { model: "claude-haiku-5-5", input: 100_000, output: 0 });
    work("b", { model: "claude-haiku-5-5", input: 100_001, output: 0 });
    const dollars = new Map((await list({ by: "session" })).map(([name, sum]) => [name, sum]));
    expect(dollars).toEqual(new Map(Object.entries({ a: 0.02, b: 0.100001 })));
  });

  it("says what it leaves out", async () => {
    work("a", { model: "house-model" });
    work("b", { output: 3, messages: 8 });
    const answer = await ask({ by: "session" });
    expect(answer.total).toMatchObject({ dollars: 8, unpriced_tokens: 220_000, without_output: 1 });
    expect(answer.rows.map((row) => [row.name, row.output, formatCost(row)])).toEqual([
      ["b", null, "≥ $8.00"],
      ["a", 20_000, ""],
    ]);
    expect(describeTotal(answer)).toBe("2 sessions: ≥ $8.00, 1.8M tokens read, 20k written");
    expect(describeBasis(answer)).toEqual([
      "By the list prices of Anthropic (2026-10-24); a subscription or a discount costs less.",
      "No price is known for house-model: add one with `pm config set cost.prices`.",
      "In 1 session, the agent recorded only what its model read, not what it wrote.",
    ]);
  });
});
