import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { asker } from "../../../test/support/search-fixture.ts";
import type { SessionQuery } from "../../sessions/search/types.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../store/memory/commits/commits.ts";
import { saveEvent, saveLink } from "../../store/memory/events.ts";
import { computeLineKey } from "../lines/line-keys.ts";
import { searchWithCommits } from "./search-with-commits.ts";

let store: ReturnType<typeof temporaryMemory>;
let repository: ReturnType<typeof temporaryGit>;
let times = 0;

beforeEach(() => {
  store = temporaryMemory();
  repository = temporaryGit();
  repository.commit("Root", { "README.md": "hello\n" });
});
afterEach(() => {
  store.remove();
  repository.remove();
});

interface Remembered {
  session?: string;
  turns?: number[];
  patchId?: string | null;
  rewrittenFrom?: string[];
  /** What the commit added, by file. */
  added?: Record<string, string>;
  renamed?: Record<string, string>;
}

/** A checkpoint at a commit. @returns its id */
function remember(
  hash: string,
  { session = "s", turns = [1], added = {}, renamed = {}, ...more }: Remembered = {},
) {
  const { memory } = store;
  const keysOf = (text: string) =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line, i) => ({ line: i + 1, key: computeLineKey(line) }));
  const files = [
    ...Object.entries(added).map(([path, text]) => ({ path, oldPath: null, status: "A", text })),
    ...Object.entries(renamed).map(([oldPath, path]) => ({ path, oldPath, status: "R", text: "" })),
  ];
  const { id } = saveCommit(
    memory,
    {
      hash,
      tree: hash,
      parents: [],
      branch: "main",
      author: "Ann",
      subject: `commit ${hash.slice(0, 7)}`,
      authoredAt: ++times,
      committedAt: times,
      insertions: 0,
      deletions: 0,
      seen: "hook",
      attributed: 1,
      patchId: null,
      rewrittenFrom: [],
      ...more,
    },
    files.map(({ text, ...file }) => ({ ...file, insertions: 1, deletions: 0, added: keysOf(text) })),
  );
  const uid = hash.slice(-12);
  saveCheckpoint(memory, {
    uid,
    commitId: id,
    parentUid: null,
    agentState: {},
    createdAt: times,
    sessions: [{ sessionUid: session, turns, lines: 1, how: "lines", confidence: 1 }],
  });
  return uid;
}

function talk(session: string, ...texts: string[]) {
  const { id } = addSession(store.memory, session);
  const chunks = texts.map((text, i) => chunk(i, text, { session }));
  replaceChunks(store.memory, id, { type: "raw", from: 0 }, chunks);
}

const ask = (query: string, more: Partial<SessionQuery> = {}, root = repository.dir) =>
  asker(store.memory, root, null).ask(query, more);
const commitsFor = async (query: string) => (await ask(query)).results[0]?.commits;

describe("a result", () => {
  it("names the commits that its turns led to, and how many of their lines are left", async () => {
    talk("s", "quince jam", "pear cake");
    const text = "const jam = cook(quinces);\n\n}\nserve(jam);\neat(jam);\n";
    const head = repository.commit("Jam", { "jam.ts": text });
    remember(head, { turns: [1], added: { "jam.ts": text } });
    expect(await commitsFor("quince")).toEqual([
      {
        commit: head,
        checkpoint: head.slice(0, 12),
        subject: `commit ${head.slice(0, 7)}`,
        confidence: 1,
        how: "lines",
        reach: "head",
        successor: null,
        reverted_by: null,
        branches: [],
        lines_added: 3,
        lines_surviving: 3,
      },
    ]);
    expect(await commitsFor("pear")).toEqual([]);
    repository.write({ "jam.ts": "const jam = cook( quinces )\n" });
    expect(await commitsFor("quince")).toMatchObject([{ lines_added: 3, lines_surviving: 1 }]);
  });

  it("follows a file that was renamed since", async () => {
    talk("s", "quince jam");
    const text = "const jam = cook(quinces);\n";
    const head = repository.commit("Jam", { "jam.ts": text });
    remember(head, { added: { "jam.ts": text } });
    repository.git("mv", "jam.ts", "marmalade.ts");
    expect(await commitsFor("quince")).toMatchObject([{ lines_surviving: 0 }]);
    remember(repository.commit("Rename"), { session: "other", renamed: { "jam.ts": "marmalade.ts" } });
    expect(await commitsFor("quince")).toMatchObject([{ lines_surviving: 1 }]);
  });

  it("marks reverted work, and ranks it behind equal results", async () => {
    talk("s", "quince jam with sugar");
    talk("t", "quince jam with honey");
    const first = repository.commit("Sugar", { "jam.ts": "sugar" });
    remember(first);
    const before = await ask("quince jam", { explain: true });
    expect(before.results.map(({ session_id }) => session_id)).toEqual(["s", "t"]);
    expect(before.results[0]?.signals).toMatchObject({ reverted: 1 });
    const revert = repository.later("revert", "--no-edit", first);
    const after = await ask("quince jam", { explain: true });
    expect(after.results.map(({ session_id }) => session_id)).toEqual(["t", "s"]);
    expect(after.results[1]).toMatchObject({
      commits: [{ commit: first, reach: "head", reverted_by: revert }],
      match_reasons: expect.arrayContaining(["its commit was reverted"]),
      signals: { reverted: 0.9 },
    });
    expect(after.results[1]!.score).toBeLessThan(before.results[0]!.score);
    const pattern = await ask("quince.*(sugar|honey)", { mode: "regex" });
    expect(pattern.results.find(({ session_id }) => session_id === "s")).toMatchObject({
      score: 1,
      commits: [{ reverted_by: revert }],
    });
  });

  it("shows what is on another branch, what is unreachable, and the successor of a rewritten commit", async () => {
    talk("s", "quince", "pear", "plum", "apple");
    const { git, commit } = repository;
    git("checkout", "--quiet", "-b", "feat/x");
    const side = commit("Side", { "x.ts": "x" });
    git("checkout", "--quiet", "-b", "amended", "main");
    const old = commit("Old", { "y.ts": "y" });
    const amended = repository.later("commit", "--quiet", "--amend", "-m", "New");
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--ff-only", "amended");
    git("cherry-pick", "feat/x");
    const picked = git("rev-parse", "HEAD");
    remember(side, { turns: [1] });
    remember("1".repeat(40), { turns: [2] });
    remember(old, { turns: [3] });
    remember(amended, { session: "other", rewrittenFrom: [old] });
    expect(await commitsFor("quince")).toMatchObject([
      { reach: "elsewhere", branches: ["feat/x"], successor: null },
    ]);
    expect(await commitsFor("pear")).toMatchObject([{ reach: "gone" }]);
    expect(await commitsFor("plum")).toMatchObject([{ commit: old, reach: "head", successor: amended }]);
    remember(side, { turns: [1], patchId: "p" });
    remember(picked, { session: "other", patchId: "p" });
    expect(await commitsFor("quince")).toMatchObject([{ commit: side, reach: "head", successor: picked }]);
    remember(picked, { turns: [1], patchId: "p" });
    expect(await commitsFor("quince")).toMatchObject([{ commit: picked, reach: "head", successor: null }]);
  });

  it("names three commits at most, those in HEAD's history first", async () => {
    talk("s", "quince");
    const hashes = [1, 2, 3, 4].map((n) => repository.commit(`Commit ${n}`));
    for (const hash of hashes) remember(hash);
    remember("1".repeat(40));
    expect((await commitsFor("quince"))?.map(({ commit }) => commit)).toEqual(hashes.slice(1).reverse());
  });

  it("still names them if git fails, or is slow", async () => {
    talk("s", "quince");
    const head = repository.commit("Jam");
    remember(head);
    const plain = mkdtempSync(join(tmpdir(), "pommel-plain-"));
    const without = await ask("quince", {}, plain);
    expect(without.results[0]?.commits).toMatchObject([{ commit: head, reach: null, branches: [] }]);
    expect(without.notes).toEqual([]);
    const { openQuery } = await import("../../sessions/search/types.ts");
    const hurried = searchWithCommits({
      root: repository.dir,
      memory: store.memory,
      embedder: null,
      waitPolicy: { ms: 0, continueLater: true },
    });
    const late = await hurried.search({ ...openQuery, query: "quince" });
    expect(late.results[0]?.commits).toMatchObject([{ commit: head, reach: null, lines_added: null }]);
    expect(late.notes).toEqual([]);
  });
});

describe("a search", () => {
  const found = async (more: Partial<SessionQuery>) =>
    (await ask("jam", more)).results.map(({ session_id, turn }) => `${session_id}${turn}`).sort();

  it("is limited to sessions that led to a commit", async () => {
    talk("s", "jam one", "jam two", "jam three");
    talk("t", "jam one", "jam two");
    const one = repository.commit("One");
    const checkpoint = remember(one, { turns: [2, 3] });
    const two = repository.commit("Two");
    remember(two, { session: "t", turns: [1] });
    expect(await found({})).toHaveLength(5);
    for (const commit of [one, one.slice(0, 9), checkpoint])
      expect(await found({ commit })).toEqual(["s2", "s3"]);
    expect(await found({ commit: two })).toEqual(["t1"]);
    expect(await found({ commit: two, session: "s" })).toEqual([]);
    await expect(found({ commit: "fffffff" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("is limited to the sessions of an event, and to a commit of it", async () => {
    talk("s", "jam one", "jam two");
    talk("s/agent", "jam of the agent");
    store.memory
      .prepare(
        "UPDATE sessions SET parent_id = (SELECT id FROM sessions WHERE uid = 's') WHERE uid = 's/agent'",
      )
      .run();
    talk("t", "jam one", "jam two");
    const head = repository.commit("Jam");
    const checkpoint = remember(head, { session: "t", turns: [2] });
    const times = { createdAt: 1, updatedAt: 1, startsAt: null, endsAt: null };
    const event = { uid: "e1", title: "Marmalade", description: "", branch: null, ...times };
    saveEvent(store.memory, { ...event, type: "task", status: "active" });
    const link = { eventUid: "e1", addedAt: 1, removedAt: null };
    saveLink(store.memory, { ...link, kind: "session", targetUid: "s" });
    expect(await found({ event: "e1" })).toEqual(["s/agent1", "s1", "s2"]);
    saveLink(store.memory, { ...link, kind: "checkpoint", targetUid: checkpoint });
    expect(await found({ event: "Marmalade" })).toEqual(["s/agent1", "s1", "s2", "t2"]);
    expect(await found({ event: "e1", commit: head })).toEqual(["t2"]);
    await expect(found({ event: "no such event" })).rejects.toMatchObject({ code: "not_found" });
  });
});
