import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, deciding, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { escapeGlob, toStoredPaths } from "../../answers/file-place.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { makeNewProject } from "../../base/paths.ts";
import { listChangedFiles } from "../../git/changed-files.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import type { TurnFile } from "../../store/memory/memory-records.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { findRelatedSessions } from "./related.ts";

const day = 86_400_000;
const now = Date.parse("2026-03-31T12:00:00Z");

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

/** A session with one turn that touched files, this many days ago. */
function session(uid: string, ago: number, ...files: TurnFile[]) {
  const record = addSession(store.memory, uid, { lastAt: now - ago * day });
  saveTurn(store.memory, record.id, turn(1, { startedAt: now - ago * day, files }));
  return record;
}

const edit = (path: string): TurnFile => ({ path, how: "edit" });
const read = (path: string): TurnFile => ({ path, how: "read" });

const related = (files: string[] | null, query = "", limit = 10) =>
  findRelatedSessions(
    makeNewProject(store.dir),
    store.memory,
    { files, query, limit },
    makeDefaultConfig(),
    now,
  );
const ids = async (...given: Parameters<typeof related>) =>
  (await related(...given)).sessions.map(({ session_id }) => session_id);

describe("relatedIn", () => {
  it("ranks sessions by how recently and how much they touched the files", async () => {
    session("old", 90, edit("src/a.ts"));
    session("read", 1, read("src/a.ts"));
    session("edited", 1, edit("src/a.ts"));
    session("both", 1, edit("src/a.ts"), edit("src/b.ts"));
    session("other", 0, edit("src/c.ts"));
    expect(await ids(["src/a.ts", "src/b.ts"])).toEqual(["both", "edited", "read", "old"]);
  });

  it("takes directories and globs", async () => {
    session("a", 1, edit("src/db/a.ts"));
    session("b", 2, edit("src/pool.js"));
    expect(await ids(["src/db"])).toEqual(["a"]);
    expect(await ids(["src/*.js"])).toEqual(["b"]);
    expect(await related(["src"])).toMatchObject({ files: ["src/db/a.ts", "src/pool.js"], total: 2 });
    expect(await related(["lib"])).toEqual({
      looked_for: 1,
      files: [],
      sessions: [],
      total: 0,
      decisions: [],
    });
  });

  it("follows renames, to sessions from before them", async () => {
    const git = temporaryGit(store.dir);
    const text = "one\ntwo\nthree\nfour\n";
    git.commit("one", { "cheese.ts": text });
    git.commit("two", { "cheese.ts": null, "d [1].ts": text });
    const renamedAgo = (now - 1_700_000_120_000) / day;
    session("wrote", renamedAgo + 1, edit("cheese.ts"));
    session("later", renamedAgo - 1, edit("cheese.ts"));
    session("now", 1, edit("d [1].ts"));
    expect(await ids([escapeGlob("d [1].ts")])).toEqual(["now", "wrote"]);
    expect((await related([escapeGlob("d [1].ts")])).files).toEqual(["cheese.ts", "d [1].ts"]);
  });

  it("quotes what was decided about the files, with what superseded it", async () => {
    const [one, two] = [session("one", 20, edit("src/a.ts")), session("two", 1, edit("src/a.ts"))];
    const said = (text: string, ago: number) => [
      chunk(0, `[USER] ${text}`, {
        session: text,
        ...deciding(text),
        files: ["src/a.ts"],
        startedAt: now - ago * day,
        endedAt: now - ago * day,
      }),
    ];
    const earlier = "We decided to keep cached sessions in redis instead of memory.";
    const later = "We decided to keep cached sessions in memory instead of redis.";
    replaceChunks(store.memory, one.id, { type: "raw", from: 0 }, said(earlier, 20));
    replaceChunks(store.memory, two.id, { type: "raw", from: 0 }, said(later, 1));
    const { decisions } = await related(["src/a.ts"]);
    expect(decisions).toMatchObject([
      { source: "conversation", text: later, session_id: "two", superseded_by: null, supersedes: [earlier] },
      { text: earlier, session_id: "one", superseded_by: later },
    ]);
    expect((await related(["src/other.ts"])).decisions).toEqual([]);
  });

  it("searches for a query alone, and finds nothing about anything else", async () => {
    const leak = session("leak", 20, edit("src/a.ts"));
    const text = "The connection pool leaks";
    replaceChunks(store.memory, leak.id, { type: "raw", from: 0 }, [chunk(0, text, { session: "leak" })]);
    session("other", 0, edit("src/a.ts"));
    expect(await related(null, "connection pool")).toMatchObject({
      looked_for: 0,
      total: 1,
      decisions: [],
      sessions: [{ session_id: "leak", files: [edit("src/a.ts")], turns: [{ turn: 1 }] }],
    });
    expect(await ids(null, "chicken soup recipe")).toEqual([]);
  });

  it("ranks sessions about the query first", async () => {
    const leak = session("leak", 20, edit("src/a.ts"));
    const names = session("names", 0, edit("src/a.ts"));
    const about = (text: string) => [chunk(0, text, { session: text, files: ["src/a.ts"] })];
    replaceChunks(store.memory, leak.id, { type: "raw", from: 0 }, about("The connection pool leaks"));
    replaceChunks(store.memory, names.id, { type: "raw", from: 0 }, about("Renamed a variable"));
    expect(await ids(["src/a.ts"])).toEqual(["names", "leak"]);
    expect(await ids(["src/a.ts"], "connection leaks")).toEqual(["leak", "names"]);
  });

  it("shows the turns, the best first, and no more sessions than requested", async () => {
    const record = session("a", 10, read("a"));
    saveTurn(store.memory, record.id, turn(2, { startedAt: now - 9 * day, files: [edit("a"), edit("z")] }));
    session("b", 60, edit("a"));
    const { sessions, total } = await related(["a"], "", 1);
    expect(total).toBe(2);
    expect(sessions).toMatchObject([
      {
        session_id: "a",
        score: 1,
        last_at: new Date(now - 9 * day).toISOString(),
        files: [{ path: "a", how: "edit" }],
        turns: [
          { turn: 2, files: [{ path: "a", how: "edit" }] },
          { turn: 1, files: [{ path: "a", how: "read" }] },
        ],
      },
    ]);
  });
});

it("resolves paths from the current directory, and from the root", () => {
  const project = makeNewProject("/repo");
  expect(toStoredPaths(project, "/repo/src", ["a.ts"])).toEqual(["src/a.ts", "a.ts"]);
  expect(toStoredPaths(project, "/repo", ["./src/"])).toEqual(["src"]);
  expect(toStoredPaths(project, "/repo", ["."])).toContain("**");
  expect(toStoredPaths(project, "/repo", ["/etc/hosts"])).toEqual(["/etc/hosts"]);
});

describe("changedFiles", () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", store.dir, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

  it("lists what differs from the last commit, from the project's root", async () => {
    mkdirSync(join(store.dir, "sub/deep"), { recursive: true });
    git("init", "--quiet");
    for (const name of ["kept", "changed", "moved"]) writeFileSync(join(store.dir, "sub", name), name);
    writeFileSync(join(store.dir, "outside"), "1");
    git("add", "sub", "outside");
    git("commit", "--quiet", "-m", "first");
    writeFileSync(join(store.dir, "sub/changed"), "other");
    writeFileSync(join(store.dir, "sub/deep/a new one"), "");
    writeFileSync(join(store.dir, "outside"), "2");
    renameSync(join(store.dir, "sub/moved"), join(store.dir, "sub/there"));
    git("add", "--all", "sub/moved", "sub/there");
    expect((await listChangedFiles(makeNewProject(join(store.dir, "sub")))).sort()).toEqual([
      "changed",
      "deep/a new one",
      "moved",
      "there",
    ]);
  });

  it("reports that git failed", async () => {
    await expect(listChangedFiles(makeNewProject(store.dir))).rejects.toMatchObject({ code: "usage" });
  });
});
