import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canariesIn, canaryTexts, changeDatabase, databasePlaces } from "../../../test/support/canary.ts";
import { transcript } from "../../../test/support/transcript-fixture.ts";
import { parseAlineTime } from "../../agents/aline/aline-database.ts";
import { changeMemory } from "../../answers/changing.ts";
import { withMemory } from "../../answers/open.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { findEvent, listEventLinks, readEvents } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { emptyForgetRequest, forget } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { findBestSummaries } from "../../store/memory/sessions/summaries.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { Sqlite } from "../../store/sqlite/sqlite.ts";
import { importAline, planAline } from "./import-aline.ts";

let dir: string;
let project: Project;
let file: string;
let db: Sqlite;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-from-aline-")));
  const root = join(dir, "shop");
  mkdirSync(join(root, ".pommel"), { recursive: true });
  writeFileSync(join(root, ".pommel", "config.toml"), "");
  project = makeNewProject(root);
  file = join(dir, "aline.db");
  db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
  db.exec("PRAGMA journal_mode = WAL");
  // The columns of schema 21 that the import reads.
  db.exec(`
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT, description TEXT);
    INSERT INTO schema_version (version) VALUES (21);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, session_file_path TEXT NOT NULL, session_type TEXT NOT NULL,
      workspace_path TEXT, started_at TEXT NOT NULL, last_activity_at TEXT NOT NULL, session_title TEXT,
      session_summary TEXT, metadata TEXT);
    CREATE TABLE turns (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, turn_number INTEGER NOT NULL, user_message TEXT,
      assistant_summary TEXT, turn_status TEXT, llm_title TEXT NOT NULL, content_hash TEXT NOT NULL,
      timestamp TEXT NOT NULL, git_commit_hash TEXT);
    CREATE TABLE turn_content (turn_id TEXT PRIMARY KEY, content TEXT NOT NULL, content_size INTEGER NOT NULL);
    CREATE TABLE events (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, event_type TEXT NOT NULL,
      status TEXT NOT NULL, start_timestamp TEXT, end_timestamp TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE event_commits (event_id TEXT, commit_hash TEXT);
    CREATE TABLE event_sessions (event_id TEXT, session_id TEXT, added_at TEXT);`);
});
afterEach(() => {
  db.close();
  rmSync(dir, { recursive: true, force: true });
});

interface ToAdd {
  agent?: string;
  workspace?: string | null;
  path?: string;
  title?: string | null;
  summary?: string | null;
}

function addSession(
  id: string,
  { agent = "claude", workspace = project.root, path, ...more }: ToAdd = {},
): void {
  db.prepare("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)").run(
    id,
    path ?? join(dir, `${id}.jsonl`),
    agent,
    workspace,
    "2026-01-05 12:00:00.500000",
    "2026-01-05 13:00:00.500000",
    more.title ?? null,
    more.summary ?? null,
  );
}

function addTurn(
  session: string,
  number: number,
  asked: string,
  answered: string,
  content: string | null,
  commit?: string,
) {
  const id = `${session}-turn-${number}`;
  db.prepare("INSERT INTO turns VALUES (?, ?, ?, ?, ?, 'completed', 'Title', 'hash', ?, ?)").run(
    id,
    session,
    number,
    asked,
    answered,
    `2026-01-05T12:0${number}:00+00:00`,
    commit ?? null,
  );
  if (content !== null)
    db.prepare("INSERT INTO turn_content VALUES (?, ?, ?)").run(id, content, content.length);
}

/** Two turns, the lines of each as Aline keeps them. */
function conversation(session: string, secret = "") {
  const told = transcript({ session, cwd: project.root });
  told.prompt(`How do we cache prices? ${secret}`);
  told.reply("We decided to cache them for an hour.");
  const first = told.text();
  told.prompt("And stock?");
  told.reply("Never.");
  return [first, told.text().slice(first.length)] as const;
}

const asked = { since: null, allProjects: false };
const plan = (more = {}) => planAline(project, { path: file, ...asked, ...more });
const read = <T>(use: (memory: Memory) => T) => withMemory(project, use);

describe("importing Aline's memory", () => {
  it("leaves no secret in any field of a memory, whichever of its own had one", async () => {
    const [first, second] = conversation("s1");
    addSession("s1", { title: "Caching", summary: "Prices are cached" });
    addTurn("s1", 1, "How do we cache prices?", "for an hour", first);
    addTurn("s1", 2, "And stock?", "never", second, "a".repeat(40));
    addSession("s2", { title: "Lost", summary: "Its transcript is gone" });
    addTurn("s2", 1, "What is left?", "only this", null);
    const event = [
      "e1",
      "Caching",
      "all of it",
      "temporal",
      "active",
      null,
      null,
      "2026-01-05",
      "2026-01-05",
    ];
    db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").run(...event);
    db.prepare("INSERT INTO event_sessions VALUES ('e1', 's1', '2026-01-05')").run();
    const found = new Set<string>();
    let imported = 0;
    // Ids change together, so that what refers to them still does; so do fields that say nothing of when, where and whose it is.
    const [ids, placing] = [/(?:^|_)id$/, /workspace|agent|_type$|_at$|timestamp|activity/];
    const all = databasePlaces(db);
    const groups = [
      all.filter(({ column }) => ids.test(column)),
      all.filter(({ column }) => !ids.test(column) && !placing.test(column)),
      all.filter(({ column }) => column === "workspace_path"),
    ];
    for (const places of groups)
      for (const at of canaryTexts("").keys()) {
        const changes = places.map((place) => changeDatabase(db, place, (text) => canaryTexts(text)[at]!));
        imported += (await importAline(project, await plan())).sessions.new;
        for (const held of await read(canariesIn)) found.add(held);
        rmSync(project.dataDir, { recursive: true, force: true });
        for (const changeBack of changes.reverse()) changeBack();
      }
    expect([...found]).toEqual([]);
    expect(imported).toBeGreaterThan(2);
  }, 120_000);

  it("makes sessions of the stored lines, scrubbed, and changes nothing the second time", async () => {
    const secret = `ghp_${"aB3xY9".repeat(6)}`;
    const [first, second] = conversation("s1", secret);
    addSession("s1", { title: `Caching ${secret}`, summary: `Prices are cached; ${secret}` });
    addTurn("s1", 1, "How do we cache prices?", "for an hour", first);
    addTurn("s1", 2, "And stock?", "never", second.trimEnd());
    const planned = await plan();
    expect(planned).toMatchObject({ schema: 21, isNewer: false, transcripts: [], elsewhere: 0 });
    const taken = await importAline(project, planned);
    expect(taken).toMatchObject({ sessions: { new: 1, known: 0, forgotten: 0, empty: 0 }, failed: [] });
    await read((memory) => {
      const session = findSessionByUid(memory, "s1")!;
      expect(session).toMatchObject({ agent: "claude", cwd: project.root, titleSource: "summary" });
      expect(session.title).toMatch(/^Caching \[REDACTED/);
      expect(
        listTurns(memory, session.id).map(({ number, prompt }) => [number, prompt.slice(0, 10)]),
      ).toEqual([
        [1, "How do we "],
        [2, "And stock?"],
      ]);
      expect(findBestSummaries(memory, [session.id]).get(session.id)).toMatchObject({
        source: "llm",
        model: "aline",
      });
      expect(listTranscripts(memory)).toEqual([]);
    });
    for (const name of readdirSync(project.dataDir).filter((one) => one.startsWith("memory.db"))) {
      expect(readFileSync(join(project.dataDir, name)).includes(secret)).toBe(false);
    }
    const again = await importAline(project, await plan());
    expect(again).toMatchObject({ sessions: { new: 0, known: 1 }, chunks: 0 });
  });

  it("imports prompts and answers of agents whose transcripts Pommel does not read", async () => {
    addSession("rollout-1", { agent: "codex" });
    addTurn("rollout-1", 1, "Rename the table", "Renamed it in three places.", '{"type":"response_item"}\n');
    addSession("s2");
    addTurn("s2", 1, "Why is it slow?", "An index was missing.", null);
    addSession("s3");
    await importAline(project, await plan());
    await read((memory) => {
      expect(
        listSessions(memory)
          .map(({ uid, agent }) => [uid, agent])
          .sort(),
      ).toEqual([
        ["rollout-1", "codex"],
        ["s2", "claude"],
        ["s3", "claude"],
      ]);
      const codex = findSessionByUid(memory, "rollout-1")!;
      expect(listTurns(memory, codex.id)).toMatchObject([{ number: 1, prompt: "Rename the table" }]);
      expect(codex.lastAt).toBe(Date.parse("2026-01-05T12:01:00Z"));
    });
    expect((await importAline(project, await plan())).sessions).toMatchObject({ new: 0, known: 2, empty: 1 });
  });

  it("leaves transcripts that are there to the import of transcripts, and other projects alone", async () => {
    const path = join(dir, "there.jsonl");
    writeFileSync(path, conversation("there").join(""));
    addSession("there", { path });
    addSession("other", { workspace: join(dir, "elsewhere") });
    addSession("nowhere", { workspace: null });
    addSession("by-line", { workspace: null });
    addTurn("by-line", 1, "x", "y", conversation("by-line")[0]);
    expect(await plan()).toMatchObject({
      transcripts: [path],
      sessions: [{ session: { id: "by-line" }, cwd: project.root }],
      elsewhere: 1,
      nowhere: 1,
    });
    expect((await plan({ allProjects: true })).sessions).toHaveLength(3);
    expect(await plan({ since: Date.parse("2026-02-01T00:00:00Z") })).toMatchObject({
      sessions: [],
      older: 4,
    });
  });

  it("does not bring back what was forgotten", async () => {
    addSession("s1");
    addTurn("s1", 1, "x", "y", conversation("s1")[0]);
    await importAline(project, await plan());
    await changeMemory(project, ({ memory }) => {
      forget(memory, { ...emptyForgetRequest, sessions: [findSessionByUid(memory, "s1")!.id] });
    });
    expect((await importAline(project, await plan())).sessions).toMatchObject({ new: 0, forgotten: 1 });
    expect(await read((memory) => findSessionByUid(memory, "s1"))).toBeNull();
  });

  it("imports events of sessions that are here, and looks for the commits", async () => {
    const git = (...args: string[]) =>
      execFileSync(
        "git",
        ["-C", project.root, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args],
        {
          encoding: "utf8",
        },
      ).trim();
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "one");
    addSession("s1");
    addTurn("s1", 1, "x", "y", conversation("s1")[0], git("rev-parse", "HEAD"));
    addTurn("s1", 2, "x", "y", null, "f".repeat(40));
    const add = db.prepare("INSERT INTO events VALUES (?, ?, 'About it', ?, ?, NULL, NULL, ?, ?)");
    add.run("e1", "Caching  prices", "task", "frozen", "2026-01-05 12:00:00", "2026-01-06 12:00:00");
    add.run("e2", "Of another project", "task", "active", "2026-01-05 12:00:00", "2026-01-05 12:00:00");
    add.run("e3", "A time", "temporal", "odd", "2026-01-05 12:00:00", "2026-01-05 12:00:00");
    const link = db.prepare("INSERT INTO event_sessions VALUES (?, ?, '2026-01-05 12:30:00')");
    for (const [event, session] of [
      ["e1", "s1"],
      ["e1", "unknown"],
      ["e2", "unknown"],
      ["e3", "s1"],
    ])
      link.run(event, session);
    for (let i = 0; i < 2; i++) {
      const taken = await importAline(project, await plan());
      expect(taken).toMatchObject({ events: 2, commits: { named: 2, taken_in: 1 } });
    }
    await read((memory) => {
      expect(
        readEvents(memory)
          .map(({ title }) => title)
          .sort(),
      ).toEqual(["A time", "Caching prices"]);
      const event = findEvent(memory, "Caching prices");
      expect(event).toMatchObject({
        type: "task",
        status: "frozen",
        description: "About it",
        createdAt: Date.parse("2026-01-05T12:00:00Z"),
        updatedAt: Date.parse("2026-01-06T12:00:00Z"),
      });
      expect(listEventLinks(memory, event.uid)).toMatchObject([
        { kind: "session", targetUid: "s1", addedAt: Date.parse("2026-01-05T12:30:00Z") },
      ]);
      // Temporal without a time would be nothing; an odd status is no other.
      expect(findEvent(memory, "A time")).toMatchObject({ type: "task", status: "active" });
    });
  });
});

describe("a database that is not what it should be", () => {
  it("is refused with what is missing, or read as far as the schema is supported", async () => {
    db.exec("UPDATE schema_version SET version = 30");
    expect(await plan()).toMatchObject({ schema: 30, isNewer: true });
    db.exec("ALTER TABLE turns RENAME COLUMN user_message TO said");
    await expect(plan()).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringMatching(/turns\.user_message is missing \(schema 30/),
    });
  });

  it("reports that there is none", async () => {
    await expect(plan({ path: join(dir, "none.db") })).rejects.toMatchObject({ code: "not_found" });
    await expect(plan({ path: dir })).rejects.toMatchObject({ code: "not_found" });
    writeFileSync(join(dir, "text.db"), "no database ".repeat(1000));
    await expect(plan({ path: join(dir, "text.db") })).rejects.toMatchObject({ code: "unreadable" });
  });

  it("is never written", async () => {
    addSession("s1");
    addTurn("s1", 1, "x", "y", null);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const before = readFileSync(file);
    await importAline(project, await plan());
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

it("reads times with a zone, of Python and of SQLite", () => {
  expect(parseAlineTime("2026-01-05T12:00:00+02:00")).toBe(Date.parse("2026-01-05T10:00:00Z"));
  expect(parseAlineTime("2026-01-05 12:00:00")).toBe(Date.parse("2026-01-05T12:00:00Z"));
  expect(parseAlineTime("2026-01-05 12:00:00.123456")).toBe(Date.parse("2026-01-05T12:00:00.123"));
  for (const none of [null, undefined, "", "yesterday", "2026-99-05 12:00:00"])
    expect(parseAlineTime(none)).toBeNull();
});
