import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  byComment,
  firstCommitAt,
  type Repository,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { range } from "../../../test/support/checkpoint-rows-fixture.ts";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { countLinesByAuthor, listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCheckpointOfCommit, listCheckpoints } from "../../store/memory/commits/checkpoints.ts";
import {
  findCommitByHash,
  listCommitsByPatch,
  listFilesOfCommit,
  readAttributedVersions,
} from "../../store/memory/commits/commits.ts";
import { emptyForgetRequest, expireSessions, forget } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { computeLineKey } from "../lines/line-keys.ts";
import { attributionVersion, type ChangeToAttribute } from "../lines/verdict.ts";
import { makeCheckpointUid } from "./commit-facts.ts";
import { recordCommit } from "./record-commit.ts";

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

const hook = { seen: "hook" } as const;

/** Records the arguments of the attribution. */
function asked(): ChangeToAttribute[] {
  const changes: ChangeToAttribute[] = [];
  repo.work.attribute = async (sources, change, signal) => {
    changes.push(change);
    return byComment(sources, change, signal);
  };
  return changes;
}

it("binds a commit to the sessions that wrote it, each to its own turns", async () => {
  rememberSession(repo.memory, "one", ["make it", "make it faster"]);
  rememberSession(repo.memory, "two", ["write the docs"], { title: { text: "Docs", source: "agent" } });
  rememberSession(repo.memory, "three", ["look around"]);
  const hash = repo.commit("Make it\n\nand more", {
    "a.ts": "x // one:1\ny // one:2\nby hand\nz // one:2\n",
    "docs/b.md": "d // two:1\n",
  });
  const taken = await recordCommit(repo.work, hash, { seen: "hook", branch: "main" });
  expect(taken?.commit).toMatchObject({
    hash,
    tree: repo.git("rev-parse", "HEAD^{tree}"),
    parents: [],
    branch: "main",
    author: "Ann",
    committedAt: firstCommitAt * 1000,
    subject: "Make it",
    insertions: 5,
    deletions: 0,
    seen: "hook",
    attributed: attributionVersion,
  });
  expect(taken?.checkpoint).toMatchObject({
    uid: makeCheckpointUid(hash),
    parentUid: null,
    createdAt: firstCommitAt * 1000,
    sessions: [
      { sessionUid: "one", turns: [1, 2], lines: 3 },
      { sessionUid: "two", turns: [1], lines: 1 },
    ],
    agentState: {
      one: { turn: 2, prompt: "make it faster", said: "Done: make it faster", model: "big-model" },
      two: { turn: 1, title: "Docs", prompt: "write the docs" },
    },
  });
  expect(countLinesByAuthor(repo.memory, taken!.commit.id)).toEqual({ agent: 4, human: 1, unknown: 0 });
  expect(listFilesOfCommit(repo.memory, taken!.commit.id, "docs/b.md")).toEqual([
    {
      path: "docs/b.md",
      oldPath: null,
      status: "A",
      insertions: 1,
      deletions: 0,
      added: [{ line: 1, key: computeLineKey("d // two:1") }],
    },
  ]);
});

it("believes another tool that names a session only where that was at work shortly before", async () => {
  const [now, before] = ["253fd5ef-38bf-4f4a-804a-98df5088a868", "353fd5ef-38bf-4f4a-804a-98df5088a868"];
  const at = repo.now();
  addSession(repo.memory, now, { startedAt: at - 3_600_000, lastAt: at - 60_000 });
  addSession(repo.memory, before, { startedAt: at - 90_000_000, lastAt: at - 86_400_000 });
  const place = "00/c9e2351016";
  const files = [now, before].map((uid, i) => [`${i}/metadata.json`, { session_id: uid }] as const);
  const sessions = files.map(([name]) => ({ metadata: `/${place}/${name}` }));
  for (const [name, content] of [["metadata.json", { sessions }] as const, ...files]) {
    mkdirSync(dirname(join(repo.root, place, name)), { recursive: true });
    writeFileSync(join(repo.root, place, name), JSON.stringify(content));
  }
  repo.git("add", "00");
  const tree = repo.git("write-tree");
  repo.git("update-ref", "refs/heads/entire/checkpoints/v1", repo.git("commit-tree", tree, "-m", "x"));
  repo.git("rm", "-rqf", "00");
  const hash = repo.commit("By hand\n\nEntire-Checkpoint: 00c9e2351016", { "a.ts": "x\n" });
  const taken = await recordCommit(repo.work, hash, hook);
  expect(
    Object.fromEntries(taken!.checkpoint!.sessions.map((one) => [one.sessionUid, [one.how, one.confidence]])),
  ).toEqual({ [now]: ["trailer", 0.8], [before]: ["trailer", 0.5] });
});

it("makes no checkpoint for a commit without sessions", async () => {
  rememberSession(repo.memory, "one", ["make it"]);
  const hash = repo.commit("By hand", { "a.ts": "x\n" });
  expect(await recordCommit(repo.work, hash, hook)).toMatchObject({ checkpoint: null });
  expect(findCommitByHash(repo.memory, hash)?.attributed).toBe(attributionVersion);
  expect(listCheckpoints(repo.memory)).toEqual([]);
});

it("returns null for a commit that git does not have", async () => {
  repo.commit("one");
  expect(await recordCommit(repo.work, "0".repeat(40), hook)).toBeNull();
  expect(await recordCommit(repo.work, repo.git("rev-parse", "HEAD^{tree}"), hook)).toBeNull();
  expect(await recordCommit(repo.work, "HEAD", hook)).toBeNull();
  expect(await recordCommit(repo.work, "--all", hook)).toBeNull();
});

it("analyses a commit once, and adds later facts", async () => {
  rememberSession(repo.memory, "one", ["make it"]);
  const changes = asked();
  const hash = repo.commit("Make it", { "a.ts": "x // one:1\n" });
  const first = await recordCommit(repo.work, hash, { seen: "history" });
  // Without a report it is the branch of the session.
  expect(first?.commit).toMatchObject({ branch: "main", seen: "history" });
  const again = await recordCommit(repo.work, hash, { seen: "hook", branch: "topic" });
  expect(again?.commit).toMatchObject({ branch: "topic", seen: "hook" });
  expect(await recordCommit(repo.work, hash, { seen: "reflog", branch: "other" })).toEqual(again);
  expect(again?.checkpoint?.uid).toBe(first?.checkpoint?.uid);
  expect(changes).toHaveLength(1);
  await recordCommit(repo.work, hash, { seen: "hook", again: true });
  expect(changes).toHaveLength(2);
  expect(findCheckpointOfCommit(repo.memory, hash)?.commit).toMatchObject({ branch: "topic", seen: "hook" });
});

it("passes a commit's predecessors to the attribution: from git, by patch, by author and subject", async () => {
  const changes = asked();
  repo.commit("base", { "base.ts": "1\n" });
  const old = repo.commit("Make it", { "a.ts": "x\n" });
  await recordCommit(repo.work, old, hook);
  repo.git("commit", "--quiet", "--amend", "--no-edit", "--date", repo.git("log", "-1", "--format=%aI"));
  repo.git("checkout", "--quiet", "-b", "topic", "HEAD~1");
  const moved = repo.commit("Other", { "b.ts": "y\n" });
  repo.wait(5);
  repo.git("cherry-pick", old);
  const picked = repo.git("rev-parse", "HEAD");
  const taken = await recordCommit(repo.work, picked, hook);
  expect(taken?.commit.rewrittenFrom).toEqual([]);
  expect(listCommitsByPatch(repo.memory, taken!.commit.patchId!).map(({ hash }) => hash)).toEqual([
    old,
    picked,
  ]);
  expect(changes.at(-1)).toMatchObject({ hash: picked, parent: moved, predecessors: [old], isOwn: true });

  repo.git("commit", "--quiet", "--amend", "--message", "Squashed");
  const squashed = repo.git("rev-parse", "HEAD");
  // One of them is not analysed yet: it comes first.
  await recordCommit(repo.work, squashed, { seen: "hook", rewrittenFrom: [picked, moved, squashed] });
  expect(changes.map(({ hash }) => hash)).toEqual([old, picked, moved, squashed]);
  expect(changes.at(-1)!.predecessors.slice(0, 2)).toEqual([picked, moved]);
  expect(findCommitByHash(repo.memory, squashed)?.rewrittenFrom).toEqual([picked, moved]);
});

it("analyses a commit again when its predecessors change", async () => {
  const changes = asked();
  const old = repo.commit("Make it", { "a.ts": "x\n" });
  repo.git("commit", "--quiet", "--amend", "--message", "Make that");
  const amended = repo.git("rev-parse", "HEAD");
  await recordCommit(repo.work, amended, { seen: "reflog" });
  await recordCommit(repo.work, amended, { seen: "hook", rewrittenFrom: [old] });
  await recordCommit(repo.work, amended, { seen: "hook", rewrittenFrom: [old] });
  expect(changes.map(({ hash }) => hash)).toEqual([amended, old, amended]);
});

it("counts as made here only if its author works here", async () => {
  const changes = asked();
  const own = repo.commit("Own", { "a.ts": "x\n" });
  repo.git("commit", "--quiet", "--allow-empty", "--author", "Bob <bob@example.com>", "-m", "Bob's");
  const foreign = repo.git("rev-parse", "HEAD");
  const old = repo.commit("Old", { "a.ts": "y\n" });
  await recordCommit(repo.work, own, hook);
  await recordCommit(repo.work, foreign, hook);
  await recordCommit(repo.work, old, { seen: "history" });
  expect(changes.map(({ isOwn }) => isOwn)).toEqual([true, false, false]);
});

it("counts as made here if an environment that is gone named its author", async () => {
  const changes = asked();
  repo.git("config", "--unset", "user.email");
  for (const role of ["AUTHOR", "COMMITTER"]) {
    vi.stubEnv(`GIT_${role}_NAME`, "Env");
    vi.stubEnv(`GIT_${role}_EMAIL`, "Env@example.com");
  }
  const own = repo.commit("Own", { "a.ts": "x\n" });
  repo.git("commit", "--quiet", "--allow-empty", "--author", "Bob <bob@example.com>", "-m", "Bob's");
  const foreign = repo.git("rev-parse", "HEAD");
  vi.unstubAllEnvs();
  await recordCommit(repo.work, own, hook);
  await recordCommit(repo.work, foreign, hook);
  expect(changes.map(({ isOwn }) => isOwn)).toEqual([true, false]);
});

it("keeps the verdicts of sessions that are no longer stored", async () => {
  rememberSession(repo.memory, "one", ["make it"]);
  const hash = repo.commit("Make it", { "a.ts": "x // one:1\n" });
  const before = await recordCommit(repo.work, hash, hook);
  const ranges = listAttributions(repo.memory, before!.commit.id);
  expireSessions(repo.memory, [findSessionByUid(repo.memory, "one")!.id]);
  repo.work.attribute = async () => ({ ranges: [], bindings: [] });
  expect(await recordCommit(repo.work, hash, { ...hook, again: true })).toEqual(before);
  expect(listAttributions(repo.memory, before!.commit.id)).toEqual(ranges);
});

it("leaves out a forgotten session, even if another tool names it", async () => {
  rememberSession(repo.memory, "one", ["make it"]);
  const hash = repo.commit("Make it", { "a.ts": "x // one:1\n" });
  forget(repo.memory, { ...emptyForgetRequest, sessions: [findSessionByUid(repo.memory, "one")!.id] });
  rememberSession(repo.memory, "one", ["as if it were here"]);
  const taken = await recordCommit(repo.work, hash, hook);
  expect(taken?.checkpoint).toBeNull();
  expect(listAttributions(repo.memory, taken!.commit.id)).toMatchObject([
    { author: "agent", sessionUid: null, turn: null, toolUse: null },
  ]);
});

it("never makes an agent's lines a human's because the session was forgotten", async () => {
  rememberSession(repo.memory, "one", ["make it"]);
  const hash = repo.commit("Make it", { "a.ts": "1\n2 // one:1\n3\n4 // one:1\n", "b.ts": "5\n" });
  await recordCommit(repo.work, hash, hook);
  forget(repo.memory, { ...emptyForgetRequest, sessions: [findSessionByUid(repo.memory, "one")!.id] });
  repo.work.attribute = async (_, { files }) => ({
    ranges: files.map(({ path, hunks: [hunk] }) => ({
      ...range(path, 1, hunk!.added.length, { author: "human", how: "absence" }),
    })),
    bindings: [],
  });
  const taken = await recordCommit(repo.work, hash, { ...hook, again: true });
  const authors = listAttributions(repo.memory, taken!.commit.id).map(
    ({ path, firstLine, lastLine, author }) => `${path} ${firstLine}-${lastLine} ${author}`,
  );
  expect(authors).toEqual([
    "a.ts 1-1 human",
    "a.ts 2-2 agent",
    "a.ts 3-3 human",
    "a.ts 4-4 agent",
    "b.ts 1-1 human",
  ]);
});

it("drops a checkpoint when a second look finds no session, and keeps the chain", async () => {
  rememberSession(repo.memory, "one", ["make it"]);
  const hashes = ["1", "2", "3"].map((n) => repo.commit(n, { "a.ts": `${n} // one:1\n` }));
  for (const hash of hashes) await recordCommit(repo.work, hash, hook);
  repo.work.attribute = async () => ({ ranges: [], bindings: [] });
  expect((await recordCommit(repo.work, hashes[1]!, { ...hook, again: true }))?.checkpoint).toBeNull();
  expect(findCheckpointOfCommit(repo.memory, hashes[2]!)?.parentUid).toBe(makeCheckpointUid(hashes[0]!));
});

it("stores no secret of a commit's text", async () => {
  const hash = repo.commit("Use hunter22 everywhere", { "a.ts": "x\n" });
  expect((await recordCommit(repo.work, hash, hook))?.commit.subject).toBe(
    "Use [REDACTED_PASSWORD] everywhere",
  );
});

describe("unusual commits", () => {
  beforeEach(() => rememberSession(repo.memory, "one", ["make it"]));
  const bound = async (hash: string) => (await recordCommit(repo.work, hash, hook))?.checkpoint?.sessions;

  it("without a message, without a change", async () => {
    const hash = repo.commit("", { "a.ts": "x // one:1\n" });
    expect((await recordCommit(repo.work, hash, hook))?.commit.subject).toBe("");
    const empty = await recordCommit(repo.work, repo.commit("Nothing"), hook);
    expect(empty).toMatchObject({ commit: { insertions: 0, patchId: null }, checkpoint: null });
  });

  it("merges: lines that no parent has", async () => {
    repo.commit("base", { "a.ts": "1\n" });
    repo.git("checkout", "--quiet", "-b", "topic");
    repo.commit("there", { "a.ts": "2 // one:1\n" });
    repo.git("checkout", "--quiet", "main");
    repo.commit("here", { "a.ts": "3 // one:1\n" });
    expect(() => repo.git("merge", "topic")).toThrow();
    const merge = repo.commit("merge", { "a.ts": "2 // one:1\n3 // one:1\nboth // one:1\n" });
    const taken = await recordCommit(repo.work, merge, hook);
    expect(taken?.commit).toMatchObject({ patchId: null, insertions: 1 });
    expect(taken?.checkpoint?.sessions).toMatchObject([{ lines: 1 }]);
  });

  it("on no branch, in a bare repository, and with SHA-256", async () => {
    repo.git("checkout", "--quiet", "--detach", repo.commit("base"));
    expect(await bound(repo.commit("detached", { "a.ts": "x // one:1\n" }))).toHaveLength(1);

    const bare = mkdtempSync(join(tmpdir(), "pommel-bare-"));
    execFileSync("git", ["clone", "--quiet", "--bare", repo.root, bare]);
    const hash = repo.git("rev-parse", "HEAD");
    const work = { ...repo.work, project: { ...repo.work.project, root: bare } };
    expect((await recordCommit(work, hash, { ...hook, again: true }))?.checkpoint?.sessions).toHaveLength(1);
    rmSync(bare, { recursive: true });

    const other = temporaryRepository({ init: ["--object-format=sha256"] });
    rememberSession(other.memory, "one", ["make it"]);
    const long = other.commit("long", { "a.ts": "x // one:1\n" });
    expect(long).toHaveLength(64);
    const taken = await recordCommit(other.work, long, hook);
    expect(taken?.checkpoint).toMatchObject({ uid: makeCheckpointUid(long), commit: { hash: long } });
    other.remove();
  });

  it("with objects that git lacks: recorded, and analysed again later", async () => {
    const hash = repo.commit("lost", { "a.ts": "x // one:1\n" });
    const blob = repo.git("rev-parse", "HEAD:a.ts");
    const file = join(repo.root, ".git/objects", blob.slice(0, 2), blob.slice(2));
    const content = repo.git("cat-file", "-p", blob);
    rmSync(file);
    // Git takes what it can from the working tree.
    rmSync(join(repo.root, "a.ts"));
    expect(await recordCommit(repo.work, hash, hook)).toMatchObject({
      commit: { attributed: 0, insertions: 0 },
      checkpoint: null,
    });
    expect(readAttributedVersions(repo.memory, [hash, "f".repeat(40)])).toEqual(new Map([[hash, 0]]));
    execFileSync("git", ["-C", repo.root, "hash-object", "-w", "--stdin"], { input: `${content}\n` });
    expect(await bound(hash)).toHaveLength(1);
  });

  it("with too many lines: those are unknown", async () => {
    const many = Array.from({ length: 60_000 }, (_, i) => `line ${i}`).join("\n");
    const hash = repo.commit("vendor", { "a.ts": "x // one:1\n", "b.txt": many, "c.txt": many });
    const taken = await recordCommit(repo.work, hash, hook);
    expect(taken?.commit.insertions).toBe(120_001);
    expect(countLinesByAuthor(repo.memory, taken!.commit.id)).toEqual({
      agent: 1,
      human: 60_000,
      unknown: 60_000,
    });
    const files = listFilesOfCommit(repo.memory, taken!.commit.id);
    expect(files.map(({ path, added, insertions }) => [path, added.length, insertions])).toEqual([
      ["a.ts", 1, 1],
      ["b.txt", 60_000, 60_000],
      ["c.txt", 0, 60_000],
    ]);
  });
});
