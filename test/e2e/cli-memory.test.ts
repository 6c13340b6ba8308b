import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { locateProjectPatterns } from "../../src/redact/patterns/patterns-file.ts";
import { transcript } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, pmJson, write } from "./daemon-fixture.ts";
import { callPm, runPm } from "./run-pm.ts";

let project: Project;
let transcripts: string;
beforeEach(() => {
  project = createProject({ "README.md": "# a project\n" });
  transcripts = join(process.env.HOME!, ".claude/projects/-repo");
  mkdirSync(transcripts, { recursive: true });
});
afterEach(() => rmSync(transcripts, { recursive: true, force: true }));
// They share the daemon: where a test stopped it, the next import starts another.
afterAll(cleanUp);

const pm = (...args: string[]) => callPm(args, { cwd: project.root });
const id = (n: number) => `${n}${n}${n}${n}${n}${n}${n}${n}-0000-4000-8000-000000000000`;
/** Not a secret: made here. */
const token = `ghp_${"aB3dE6gH9jK2".repeat(3)}`;
const word = "zanzibarine";

/** A session from long ago, with a conversation. */
function past(n: number, said: string, cwd = project.root): string {
  const fixture = transcript({ session: id(n), cwd, start: "2026-01-05T09:00:00.000Z" });
  fixture.prompt(`How do we handle ${said} in the parser?`);
  fixture.reply(`We decided to handle ${said} in the tokeniser, as it is known there.`);
  fixture.prompt("Now let's write it down please");
  fixture.reply("It is written down in the docs.");
  return fixture.writeTo(transcripts);
}

const bytesOfMemory = () =>
  readdirSync(project.dataDir)
    .filter((name) => name.startsWith("memory.db"))
    .map((name) => readFileSync(join(project.dataDir, name)).toString("latin1"))
    .join("");

interface Imported {
  sessions: number;
  already: { sessions: number };
  elsewhere: { sessions: number };
  chunks: number;
  failed: unknown[];
}

describe("pm note", () => {
  // It is the first, so that no daemon runs yet.
  it("remembers without a daemon and with one, about a session or not", async () => {
    const early = await pmJson<{ id: string; note: string; session_id: null }>(
      project,
      "note",
      "v2",
      "is out",
    );
    expect(early).toMatchObject({ note: "v2 is out", session_id: null, source: "tool" });
    // Also where there is no conversation yet, and no code.
    expect((await pm("search", "v2")).stdout).toContain("Note  v2 is out");
    past(1, word);
    await pmJson(project, "import", "claude");
    const lines = await runPm(["note", "-", "--json"], {
      cwd: project.root,
      input: `with ${token}\nin two lines\n`,
      env: { CLAUDE_CODE_SESSION_ID: id(1) },
    });
    expect(JSON.parse(lines.stdout)).toMatchObject({
      note: "with [REDACTED_GITHUB_TOKEN]\nin two lines",
      session_id: id(1),
      turn: 2,
    });
    expect(await pmJson(project, "note", "about it", "--session", "1111")).toMatchObject({
      session_id: id(1),
    });
    const { annotations } = await pmJson<{ annotations: { note: string }[] }>(project, "annotations");
    expect(annotations.map(({ note }) => note)).toEqual([
      "about it",
      "with [REDACTED_GITHUB_TOKEN]\nin two lines",
      "v2 is out",
    ]);
    const found = await pmJson<{ results: { chunk_type: string }[] }>(
      project,
      "search",
      "transcripts",
      "v2 is out",
    );
    expect(found.results[0]?.chunk_type).toBe("annotated");
    expect(bytesOfMemory()).not.toContain(token);
    write(
      project,
      "src/order.ts",
      "export const first = readTokens();\nexport const second = checkAll(first);\n",
    );
    const onLine = await pmJson(project, "note", "src/order.ts:2", "tokens", "go", "first");
    const lines2 = { file: "src/order.ts", first_line: 2, last_line: 2, state: "same" };
    expect(onLine).toMatchObject({ note: "tokens go first", lines: lines2 });
    write(
      project,
      "src/order.ts",
      "// Order.\n\nexport const first = readTokens();\nexport const second = checkAll(first);\n",
    );
    expect((await pm("memory", "notes", "--file", "src/order.ts")).stdout).toContain("src/order.ts:4");
    const empty = await pm("note", " ");
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("The note is empty.")]);
    expect((await pm("note", "x", "--session", "unknown")).code).toBe(5);
  });
});

describe("pm import", () => {
  it("imports this project's sessions once, and those of others on request", async () => {
    past(1, word);
    past(2, "whitespace");
    past(3, "numbers", "/somewhere/else");
    const preview = await pmJson<Imported>(project, "import", "claude", "--dry-run");
    expect(preview).toMatchObject({ sessions: 2, elsewhere: { sessions: 1 }, dry_run: true, chunks: 0 });
    expect(await pmJson<Imported>(project, "import", "claude")).toMatchObject({ sessions: 2, failed: [] });
    const { sessions } = await pmJson<{ sessions: { id: string; title: string; turns: number }[] }>(
      project,
      "session",
      "list",
    );
    expect(sessions.map((one) => one.id).sort()).toEqual([id(1), id(2)]);
    expect(sessions[0]).toMatchObject({ turns: 2 });
    const found = await pmJson<{ results: { session_id: string }[] }>(project, "search", "transcripts", word);
    expect(found.results[0]?.session_id).toBe(id(1));

    expect(await pmJson<Imported>(project, "import", "claude")).toMatchObject({
      sessions: 0,
      already: { sessions: 2 },
    });
    const text = await pm("import", "claude");
    expect(text.stdout).toContain("Skipped: 2 sessions already imported, 1 session of other projects");
    expect(await pmJson<Imported>(project, "import", "claude", "--all-projects")).toMatchObject({
      sessions: 1,
      failed: [],
    });
  });

  it("explains invalid arguments", async () => {
    const other = past(3, "numbers", "/somewhere/else");
    for (const [args, code, said] of [
      [["import", "nobody"], 2, "claude"],
      [["import", "claude", other], 5, "--all-projects"],
      [["import", "claude", join(project.root, "absent")], 5, "does not exist"],
      [["import", "claude", project.root], 5, "No Claude Code transcripts"],
      [["import", "claude", "--since", "no time at all"], 2, "is not a date or time"],
    ] as const) {
      const result = await pm(...args);
      expect([args, result.code, result.stdout]).toEqual([args, code, ""]);
      expect(result.stderr).toContain(said);
    }
  });
});

describe("pm memory forget", () => {
  it.each([true, false])("shows what would go, and removes it for good (daemon: %j)", async (withDaemon) => {
    past(1, word);
    // One that no other project here has: a session is looked for in all of them.
    const other = withDaemon ? 4 : 5;
    past(other, "whitespace");
    await pmJson(project, "import", "claude");
    if (!withDaemon) await pm("stop");
    expect((await pm("search", "transcripts", word)).stdout).toContain(word);

    const preview = await pm("forget", "--match", word, "--dry-run");
    expect([preview.code, preview.stdout]).toEqual([0, expect.stringMatching(/^\d+ places in 1 session/)]);
    expect(preview.stdout).toContain(word);
    const unasked = await pm("forget", "--match", word);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await pm("search", "transcripts", word)).stdout).toContain(word);

    const report = await pmJson(project, "forget", "--match", word, "--yes");
    expect(report).toMatchObject({
      sessions: 1,
      turns: 1,
      forgotten: true,
      log_emptied: true,
    });
    expect(bytesOfMemory()).not.toContain(word);
    const shown = await pm("session", "show", "1111", "--turn", "1");
    expect(shown.stdout).toContain("handle [FORGOTTEN] in the tokeniser");

    expect(await pmJson(project, "forget", "--turn", "1111:1", "--yes")).toMatchObject({ turns: 1 });
    const gone = await pm("forget", "--session", id(other), "--yes");
    expect(gone.stdout).toMatch(/Forgotten\. `pm memory undo` brings it back until \d{4}-\d\d-\d\d\./);
    expect((await pm("session", "show", id(other))).code).toBe(5);
    expect((await pm("memory", "undo")).stdout).toContain("1 session, ");
    expect((await pm("session", "show", id(other))).stdout).toContain("whitespace");
    const forGood = await pm("forget", "--session", id(other), "--yes", "--for-good");
    expect(forGood.stdout).toContain("it cannot be undone");
    expect((await pm("memory", "undo")).code).toBe(5);
    expect((await pm("session", "show", id(other))).code).toBe(5);
    // Forgotten sessions are not imported again.
    expect(await pmJson(project, "import", "claude")).toMatchObject({ sessions: 0, forgotten: 1 });
    const nothing = await pm("forget", "--match", word, "--yes");
    expect([nothing.code, nothing.stdout]).toEqual([0, "Nothing in the memory matches.\n"]);
  });

  it("rejects invalid arguments", async () => {
    expect((await pm("forget", "--session", "1111")).code).toBe(3);
    past(1, word);
    await pmJson(project, "import", "claude");
    for (const [args, code] of [
      [[], 2],
      [["--session", "1111", "--match", "x"], 2],
      [["--text", "a", "--match", "a"], 2],
      [["--text", ""], 2],
      [["--match", "("], 2],
      [["--match", "x*"], 2],
      [["--turn", "1111:99"], 5],
      [["--session", "9999"], 5],
    ] as const) {
      expect([args, (await pm("forget", ...args, "--yes")).code]).toEqual([args, code]);
    }
  });
});

describe("pm memory scrub", () => {
  it("says what a text would lose, never the secret itself, in a project and outside", async () => {
    const text = `first line\n  token: ${token}\n`;
    writeFileSync(join(project.root, "notes.md"), text);
    const inFile = await pm("memory", "scrub", "--check", "notes.md");
    expect([inFile.code, inFile.stdout]).toEqual([
      1,
      expect.stringMatching(/^notes\.md:2:\d+ {2}\S+ {2}\[REDACTED_GITHUB_TOKEN\]\n$/),
    ]);
    const fromStdin = await runPm(["memory", "scrub", "--check", "-", "--json"], { cwd: "/", input: text });
    expect(fromStdin.code).toBe(1);
    expect(JSON.parse(fromStdin.stdout).found).toMatchObject([
      { placeholder: "[REDACTED_GITHUB_TOKEN]", line: 2, column: 10, length: 40 },
    ]);
    expect(inFile.stdout + fromStdin.stdout).not.toContain(token);
    expect((await pm("memory", "scrub", "--check", "README.md")).code).toBe(0);
    expect((await pm("memory", "scrub", "--check", "absent")).code).toBe(5);
  });

  it.each([true, false])(
    "takes out of what is stored what new rules find (daemon: %j)",
    async (withDaemon) => {
      past(1, word);
      await pmJson(project, "import", "claude");
      expect((await pm("memory", "scrub", "--check")).code).toBe(0);
      if (!withDaemon) await pm("stop");
      writeFileSync(
        locateProjectPatterns(project),
        `[[patterns]]\nname = "island"\npattern = "(?i)${word}"\nreplacement = "[REDACTED_ISLAND]"\n`,
      );
      const check = await pm("memory", "scrub", "--check");
      expect([check.code, check.stdout]).toEqual([
        1,
        expect.stringMatching(/\d+ {2}island {2}\[REDACTED_ISLAND\]/),
      ]);
      const scrubbed = await pm("memory", "scrub");
      expect([scrubbed.code, scrubbed.stderr]).toEqual([0, expect.not.stringContaining("error")]);
      expect((await pm("memory", "scrub", "--check")).code).toBe(0);
      expect(bytesOfMemory()).not.toContain(word);
      expect((await pm("session", "show", "1111", "--turn", "1")).stdout).toContain(
        "handle [REDACTED_ISLAND]",
      );
    },
  );

  it("writes the file of patterns once", async () => {
    const first = await pmJson<{ file: string; created: boolean }>(project, "memory", "scrub", "--init");
    expect(readFileSync(first.file, "utf8")).toContain("[[patterns]]");
    expect(await pmJson(project, "memory", "scrub", "--init")).toEqual({ file: first.file, created: false });
    rmSync(first.file);
  });
});

describe("pm daemon queue", () => {
  it("shows what was done, with a daemon and without, and knows its numbers", async () => {
    past(1, word);
    await pmJson(project, "import", "claude");
    const queue = await pmJson<{ dead: unknown[]; daemon_running: boolean }>(project, "daemon", "queue");
    expect(queue).toMatchObject({ dead: [], daemon_running: true });
    expect((await pm("daemon", "queue")).stdout).toContain("Lately");
    expect((await pm("daemon", "queue", "retry")).stdout).toBe("No failed jobs.\n");
    const unknown = await pm("daemon", "queue", "drop", "77");
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining("No failed job 77.")]);
    await pm("stop");
    expect((await pmJson<typeof queue>(project, "daemon", "queue")).daemon_running).toBe(false);
  });
});
