import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  firstCommitAt,
  type Repository,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { chunk, deciding, turn } from "../../../test/support/memory-fixture.ts";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { wordForAgents } from "../../answers/word-for-agents.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { anchorNote } from "../../attribution/line-notes.ts";
import { makeNewProject } from "../../base/paths.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { ChunkToStore } from "../../store/memory/memory-records.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { explainLines } from "./why-lines.ts";
import { wordWhy } from "./words.ts";

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

const why = (
  file: string,
  first: number,
  last = first,
  memory: Repository["memory"] | null = repo.memory,
) => {
  const project = makeNewProject(repo.root);
  return explainLines(project, memory, { file, lines: { first, last } });
};
const seen = (hash: string) => recordCommit(repo.work, hash, { seen: "hook", branch: "topic" });

/** A turn of a session with a decision, for the search of decisions. */
function decided(
  session: string,
  said: string,
  more: Partial<ChunkToStore> & { turn: number },
  position = 0,
) {
  const { id } = findSessionByUid(repo.memory, session)!;
  const at = { type: "raw", from: position } as const;
  const made = { session, ...deciding(said, more.turn), ...more };
  replaceChunks(repo.memory, id, at, [chunk(position, `[USER] ${said}`, made)]);
}

it("names the notes on the lines, wherever these are now", async () => {
  repo.commit("Start", {
    "a.ts": "export const first = readTokens();\nexport const second = checkAll(first);\n",
  });
  const place = await anchorNote(repo.root, "a.ts", { first: 2, last: 2 });
  const facts = {
    sessionUid: null,
    turn: null,
    lineUid: null,
    at: 5,
    source: "shell",
    branch: null,
  } as const;
  saveNote(repo.memory, { uid: "n", note: "tokens go first", ...facts, ...place });
  repo.commit("Push it down", {
    "a.ts": "// Order.\nexport const first = readTokens();\nexport const second = checkAll(first);\n",
  });
  const answer = await why("a.ts", 3);
  expect(answer.line_notes).toMatchObject([
    { note: "tokens go first", lines: { first_line: 3, state: "same" } },
  ]);
  expect(wordForAgents(wordWhy(answer, "agent"))).toContainEqual(
    expect.stringContaining("User's note on a.ts:3: “tokens go first”"),
  );
  expect((await why("a.ts", 1)).line_notes).toEqual([]);
});

describe("the chain", () => {
  it("leads from a line to its commit, checkpoint, session, turn, prompt and decision", async () => {
    const title = { title: { text: "Refresh", source: "agent" as const } };
    rememberSession(repo.memory, "s", ["look at auth", "make token refresh atomic"], title);
    const said: TranscriptEntry[] = [
      { kind: "prompt", text: "make token refresh atomic\n\nplease", images: 0 },
      { kind: "text", text: "Two requests may refresh at once, so I take a lock." },
      { kind: "tool_use", id: "toolu_2", tool: "Edit", input: {}, files: [] },
      { kind: "tool_result", id: "toolu_2", text: "ok", isError: false, edits: null, subagent: null },
      { kind: "text", text: "Done." },
    ];
    const content = packContent([{ uid: null, seq: 9, at: null, entries: said }]);
    const startedAt = firstCommitAt * 1000 - 540_000;
    saveTurn(
      repo.memory,
      findSessionByUid(repo.memory, "s")!.id,
      turn(2, { prompt: "make token", content, startedAt }),
    );
    decided("s", "We decided to take a lock instead of retrying.", { turn: 1, files: [] });
    await seen(repo.commit("one", { "src/auth.ts": "start\nold();\nend\n" }));
    const hash = repo.commit("Refresh atomically", { "src/auth.ts": "start\nlock(); // s:2\nend\n" });
    await seen(hash);
    const answer = await why("src/auth.ts", 2);
    expect(answer).toMatchObject({
      file: "src/auth.ts",
      first_line: 2,
      last_line: 2,
      text: ["lock(); // s:2"],
      notes: [],
    });
    expect(answer.origins).toEqual([
      {
        lines: [[2, 2]],
        written_by: expect.objectContaining({
          author: "agent",
          session_id: "s",
          turn: 2,
          session_title: "Refresh",
        }),
        commit: {
          hash,
          subject: "Refresh atomically",
          person: "Ann",
          authored_at: "2026-01-05T09:01:00.000Z",
          branch: "topic",
          is_boundary: false,
        },
        checkpoint_id: hash.slice(0, 12),
        turn: {
          session_id: "s",
          number: 2,
          started_at: "2026-01-05T08:51:00.000Z",
          prompt: "make token refresh atomic\n\nplease",
          said_before: "Two requests may refresh at once, so I take a lock.",
          said_after: "Done.",
          tool: "Edit",
          asked_by: null,
        },
      },
    ]);
    expect(answer.decisions).toMatchObject([
      { text: "We decided to take a lock instead of retrying.", near: "session", is_before: true, turn: 1 },
    ]);
    expect(answer.freshness).toEqual({
      state: "stands",
      branches: [],
      reverted_by: null,
      lines_added: 1,
      lines_surviving: 1,
      later_decisions: [],
    });
    expect(answer.later).toEqual({ commits: 0, latest: [] });
  });

  it("goes back to earlier versions, step by step, through a rename", async () => {
    rememberSession(repo.memory, "s", ["first try", "second try"]);
    const rest = "What stays as it is makes the file the same file.\n".repeat(5);
    const one = repo.commit("one", { "old.ts": `a\nlimit = count(1) // s:1\n${rest}` });
    repo.git("mv", "old.ts", "new.ts");
    const two = repo.commit("two", { "new.ts": `a\nlimit = count(2) // s:2\n${rest}` });
    const three = repo.commit("three", { "new.ts": `zero\na\nlimit = count(3)\n${rest}` });
    for (const hash of [one, two, three]) await seen(hash);
    const answer = await why("new.ts", 3);
    expect(answer.origins[0]).toMatchObject({
      commit: { hash: three },
      written_by: { author: "human" },
      turn: null,
    });
    expect(answer.earlier).toMatchObject([
      {
        how: "changed",
        file: "new.ts",
        first_line: 2,
        text: ["limit = count(2) // s:2"],
        commit: { hash: two },
        prompt: "second try",
      },
      {
        how: "changed",
        file: "old.ts",
        first_line: 2,
        text: ["limit = count(1) // s:1"],
        commit: { hash: one },
        prompt: "first try",
      },
    ]);
    expect((await why("new.ts", 1)).earlier).toEqual([]);
  });

  it("reports that other lines were replaced, and what happened since", async () => {
    rememberSession(repo.memory, "s", ["rewrite it", "then more"]);
    const one = repo.commit("one", { "a.ts": "x\nfor (const every of all) run(every);\ny\n" });
    const two = repo.commit("two", { "a.ts": "x\nawait nothing.like('it') // s:1\ny\n" });
    const three = repo.commit("three", { "a.ts": "x\nawait nothing.like('it') // s:1\ny\nz // s:2\n" });
    const four = repo.commit("elsewhere", { "b.ts": "b\n" });
    for (const hash of [one, two, three, four]) await seen(hash);
    const answer = await why("a.ts", 2);
    expect(answer.earlier).toMatchObject([
      { how: "replaced", commit: { hash: one }, text: ["for (const every of all) run(every);"] },
    ]);
    expect(answer.later).toEqual({
      commits: 1,
      latest: [
        {
          hash: three,
          subject: "three",
          person: "Ann",
          authored_at: "2026-01-05T09:02:00.000Z",
          by_agent: true,
        },
      ],
    });
  });

  it("names no agent beside a later commit that a session only maybe led to", async () => {
    rememberSession(repo.memory, "s", ["look at it"]);
    await seen(repo.commit("one", { "a.ts": "x\ncount(all);\n" }));
    const two = repo.commit("two", { "a.ts": "x\ncount(all);\nmore(words);\n" });
    await seen(two);
    const { id: commitId } = findCommitByHash(repo.memory, two)!;
    const guess = { sessionUid: "s", turns: [1], lines: 0, how: "touched" as const, confidence: 0.6 };
    const checkpoint = { uid: two.slice(0, 12), commitId, parentUid: null, agentState: {}, createdAt: 1 };
    saveCheckpoint(repo.memory, { ...checkpoint, sessions: [guess] });
    expect((await why("a.ts", 2)).later?.latest).toMatchObject([{ hash: two, by_agent: null }]);
  });

  it("puts the most informative origin first: by lines with content, an agent's before others", async () => {
    rememberSession(repo.memory, "s", ["p", "q"]);
    await seen(repo.commit("one", { "a.ts": "{\n\n}\n{\n}\nx\na // s:1\nb // s:2\nc // s:1\n" }));
    const answer = await why("a.ts", 1, 99);
    expect(answer.last_line).toBe(9);
    expect(answer.origins.map(({ lines, written_by }) => [written_by.turn, lines])).toEqual([
      [
        1,
        [
          [7, 7],
          [9, 9],
        ],
      ],
      [2, [[8, 8]]],
      [null, [[1, 6]]],
    ]);
    expect(answer.notes).toEqual([]);
  });

  it("names five origins, and counts the others", async () => {
    rememberSession(repo.memory, "s", ["1", "2", "3", "4", "5", "6", "7"]);
    const lines = [1, 2, 3, 4, 5, 6, 7].map((turn) => `x // s:${turn}`);
    await seen(repo.commit("one", { "a.ts": lines.join("\n") }));
    const answer = await why("a.ts", 1, 7);
    expect(answer.origins).toHaveLength(5);
    expect(answer.notes).toEqual(["The lines have 2 more origins: pm blame covers every line."]);
  });

  it("follows a subagent to the turn that it worked for", async () => {
    rememberSession(repo.memory, "main", ["fix the login", "next"]);
    const { id } = findSessionByUid(repo.memory, "main")!;
    rememberSession(repo.memory, "main/a1", ["look for the bug"], {
      parentId: id,
      at: firstCommitAt * 1000 - 590_000,
    });
    decided("main", "We decided to keep the session cookie.", { turn: 1 });
    await seen(repo.commit("one", { "a.ts": "session(cookie) // main/a1:1\n" }));
    const answer = await why("a.ts", 1);
    expect(answer.origins[0]?.turn).toMatchObject({
      prompt: "look for the bug",
      asked_by: { session_id: "main", turn: 1, prompt: "fix the login" },
    });
    expect(answer.decisions.map(({ text }) => text)).toEqual(["We decided to keep the session cookie."]);
  });
});

describe("decisions", () => {
  it("are those that concern the lines, the nearest first, and none that was only made nearby", async () => {
    rememberSession(
      repo.memory,
      "s",
      Array.from({ length: 30 }, (_, i) => `prompt ${i + 1}`),
    );
    rememberSession(repo.memory, "other", ["about the file"]);
    decided("s", "We decided on the far away thing.", { turn: 1 }, 0);
    decided("s", "We decided on takeLock for the near thing.", { turn: 19 }, 1);
    decided("s", "We decided that a.ts holds the nearest thing.", { turn: 20 }, 2);
    decided("s", "We decided on another colour of the palette.", { turn: 18 }, 3);
    decided("s", "We decided later on takeLock for all.", { turn: 22 }, 4);
    const before = { turn: 1, startedAt: firstCommitAt * 1000 - 86_400_000 };
    decided("other", "We decided on takeLock for the cache.", { ...before, files: ["a.ts"] }, 0);
    decided("other", "We decided to sort the imports by length.", { ...before, files: ["a.ts"] }, 1);
    decided("other", "We decided on takeLock in another file.", { ...before, files: ["b.ts"] }, 2);
    const note = { lineUid: null, at: firstCommitAt * 1000, source: "prompt", branch: null } as const;
    saveNote(repo.memory, { ...note, uid: "n", sessionUid: "s", turn: 20, note: "Keep it simple" });
    saveNote(repo.memory, { ...note, uid: "m", sessionUid: "other", turn: 1, note: "Something else" });
    await seen(repo.commit("one", { "a.ts": "takeLock(); // s:20\n" }));
    const answer = await why("a.ts", 1);
    expect(answer.decisions.map(({ text, near }) => [text, near])).toEqual([
      ["Keep it simple", "session"],
      ["We decided that a.ts holds the nearest thing.", "session"],
      ["We decided on takeLock for the near thing.", "session"],
      ["We decided on takeLock for the cache.", "file"],
    ]);
    expect(answer.decisions.map(({ score }) => score)).toEqual(
      [...answer.decisions.map(({ score }) => score!)].sort((a, b) => b - a),
    );
    expect(answer.freshness.state).toBe("stands");
  });

  it("that are later and concern the lines suggest a second look, others about the file do not", async () => {
    rememberSession(repo.memory, "s", ["p"]);
    const after = firstCommitAt * 1000 + 86_400_000;
    rememberSession(repo.memory, "later", ["q"], { at: after });
    const later = { turn: 1, startedAt: after, files: ["a.ts"] };
    decided("later", "We decided to drop takeLock again.", later, 0);
    decided("later", "We decided to sort the imports by their length.", later, 1);
    decided("later", "We decided that a.ts calls the probe explicitly, not the body.", later, 2);
    await seen(repo.commit("one", { "a.ts": "takeLock(); // s:1\nother(); // s:1\n" }));
    const answer = await why("a.ts", 1);
    expect(answer.freshness).toMatchObject({
      state: "reconsidered",
      later_decisions: [{ text: "We decided to drop takeLock again.", session_id: "later" }],
    });
    expect(answer.decisions).toEqual([]);
    const other = await why("a.ts", 2);
    expect(other.freshness).toMatchObject({ state: "stands", later_decisions: [] });
    // They may name the function that the lines are in, which no index knows here.
    expect(other.notes).toContain(
      "Not known yet whether 3 more decisions concern these lines: the code index does not have the file.",
    );
  });

  it("that take back a decision behind the lines suggest a second look", async () => {
    rememberSession(repo.memory, "s", ["p"]);
    const after = firstCommitAt * 1000 + 86_400_000;
    rememberSession(repo.memory, "later", ["q"], { at: after });
    decided("s", "We decided to keep cached sessions in redis instead of memory.", { turn: 1 }, 0);
    const taken = "We decided to keep cached sessions in memory instead of redis.";
    decided("later", taken, { turn: 1, startedAt: after, files: ["a.ts"] }, 0);
    await seen(repo.commit("one", { "a.ts": "redis.keep(cached, sessions) // s:1\n" }));
    expect((await why("a.ts", 1)).freshness).toMatchObject({
      state: "reconsidered",
      later_decisions: [{ text: taken }],
    });
  });
});

describe("what is not known", () => {
  it("is reported, with what git knows, where there is no memory", async () => {
    const one = repo.commit("one", { "a.ts": "x\n" });
    const answer = await why("a.ts", 1, 1, null);
    expect(answer).toMatchObject({
      origins: [
        {
          commit: { hash: one, subject: "one", branch: null },
          written_by: { author: "unknown" },
          turn: null,
        },
      ],
      decisions: [],
      freshness: { state: "stands", lines_added: null },
      notes: ["Author unknown: no sessions to compare with."],
    });
  });

  it("is who another tool names", async () => {
    repo.commit("one\n\nCo-authored-by: Claude <noreply@anthropic.com>", { "a.ts": "x\n" });
    expect((await why("a.ts", 1)).notes).toContain("Author unknown (the commit message credits claude).");
  });

  it("says that the session was forgotten", async () => {
    rememberSession(repo.memory, "s", ["p"]);
    await seen(repo.commit("one", { "a.ts": "x // s:1\n" }));
    repo.memory.prepare("DELETE FROM sessions").run();
    const answer = await why("a.ts", 1);
    expect(answer.origins[0]).toMatchObject({ turn: null, written_by: { session_id: "s", turn: 1 } });
    expect(answer.notes).toEqual(["The session that wrote this is not in the memory."]);
  });

  it("has no commit for an uncommitted line, but shows its earlier text", async () => {
    const one = repo.commit("one", { "a.ts": "x\nlimit = 1\n" });
    await seen(one);
    writeFileSync(join(repo.root, "a.ts"), "x\nlimit = 2\n");
    const answer = await why("a.ts", 2);
    expect(answer).toMatchObject({
      origins: [{ commit: null, checkpoint_id: null }],
      earlier: [{ how: "changed", text: ["limit = 1"], commit: { hash: one } }],
      later: null,
      freshness: { state: "uncommitted" },
    });
  });
});

describe("asked again", () => {
  const asked = async (line: number) => {
    const { origins, earlier, later, freshness } = await why("a.ts", line);
    return {
      commit: origins[0]?.commit?.hash ?? null,
      earlier: earlier.map(({ commit }) => commit?.hash),
      later: later?.latest.map(({ hash }) => hash),
      state: freshness.state,
    };
  };

  it("sees commits that were added, amended and taken back, and uncommitted changes", async () => {
    const one = repo.commit("one", { "a.ts": "x\nlimit = 1\n" });
    await seen(one);
    expect(await asked(2)).toEqual({ commit: one, earlier: [], later: [], state: "stands" });
    const two = repo.commit("two", { "a.ts": "x\nlimit = 1\ny\n" });
    await seen(two);
    expect(await asked(2)).toEqual({ commit: one, earlier: [], later: [two], state: "stands" });
    const request = { file: "a.ts", lines: { first: 2, last: 2 }, brief: true };
    const { origins, later, earlier } = await explainLines(makeNewProject(repo.root), repo.memory, request);
    expect([origins[0]?.commit?.hash, later, earlier]).toEqual([one, null, []]);
    const three = repo.commit("three", { "a.ts": "x\nlimit = 2\ny\n" });
    expect(await asked(2)).toEqual({ commit: three, earlier: [one], later: [], state: "stands" });
    repo.git("commit", "--quiet", "--amend", "--message", "other");
    const amended = repo.git("rev-parse", "HEAD");
    expect(await asked(2)).toEqual({ commit: amended, earlier: [one], later: [], state: "stands" });
    writeFileSync(join(repo.root, "a.ts"), "x\nlimit = 30\ny\n");
    expect(await asked(2)).toMatchObject({ commit: null, earlier: [amended, one], state: "uncommitted" });
    repo.git("reset", "--quiet", "--hard", two);
    expect(await asked(2)).toEqual({ commit: one, earlier: [], later: [two], state: "stands" });
    repo.commit(`Back\n\nThis reverts commit ${one}.`);
    expect((await asked(2)).state).toBe("reverted");
  });
});

describe("what became of it", () => {
  it("reports that its commit was reverted, as seen from where the line still exists", async () => {
    repo.commit("base", { "a.ts": "x\n" });
    const one = repo.commit("one", { "a.ts": "x\ny\n" });
    repo.git("revert", "--no-edit", one);
    const back = repo.git("rev-parse", "HEAD");
    const project = makeNewProject(repo.root);
    const request = { file: "a.ts", lines: { first: 2, last: 2 }, revision: one };
    const answer = await explainLines(project, null, request);
    expect(answer.freshness).toMatchObject({ state: "reverted", reverted_by: back });
  });

  it("is that it lives on another branch", async () => {
    repo.commit("base", { "a.ts": "x\n" });
    repo.git("switch", "--quiet", "--create", "side");
    const one = repo.commit("one", { "a.ts": "x\ny\n" });
    repo.git("switch", "--quiet", "main");
    const project = makeNewProject(repo.root);
    const request = { file: "a.ts", lines: { first: 2, last: 2 }, revision: one };
    const answer = await explainLines(project, null, request);
    expect(answer.freshness).toMatchObject({ state: "elsewhere", branches: ["side"] });
  });
});
