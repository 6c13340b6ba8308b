import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import { replaceChunks } from "../../src/store/memory/chunks/chunks.ts";
import { saveNote } from "../../src/store/memory/chunks/notes.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, chunk, deciding, turn } from "../support/memory-fixture.ts";
import { callPm, type PmResult, temporaryDir, temporaryRepository } from "./run-pm.ts";

const day = 86_400_000;
const flaky = "8ecde0fc-091c-4586-b688-cc9efe6f655c";
const open = "99999999-0000-4000-8000-000000000000";

let cwd: string;

const pm = (...args: string[]) => callPm(args, { cwd, env: { CLAUDE_CODE_SESSION_ID: "" } });
const json = async (...args: string[]) => {
  const { code, stdout } = await pm(...args, "--json");
  expect(code).toBe(0);
  return JSON.parse(stdout);
};
const refusal = async (...args: string[]) => {
  const { code, stdout } = await pm(...args, "--json");
  return { exit: code, code: JSON.parse(stdout).error.code };
};

beforeAll(async () => {
  cwd = temporaryRepository();
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/retry.ts"), "export function retry(): void {}\n");
  expect(await pm("init", "--no-hooks")).toMatchObject({ code: 0 });
  expect(await pm("reindex")).toMatchObject({ code: 0 });
  remember();
});

const choice = "Let's go with a longer pause between two retries";

/** A session that mended a flaky test two days ago, one of last year, and one that is open. */
function remember(): void {
  const now = Date.now();
  const memory = Memory.open(makeNewProject(cwd).memoryDb, { readonly: false });
  const place = { branch: "main", cwd };
  const first = addSession(memory, flaky, {
    ...place,
    title: { text: "Flaky resume test", source: "agent" },
    startedAt: now - 2 * day,
    lastAt: now - 2 * day,
    ended: { at: now - 2 * day, reason: "exit" },
  });
  const at = now - 2 * day;
  const files = [{ path: "src/retry.ts", how: "edit" as const }];
  const prompt = "How do we fix the flaky resume test?";
  const entries = [
    { kind: "prompt", text: prompt, images: 0 },
    { kind: "text", text: "It waits too short a time." },
  ];
  const content = packContent([{ uid: null, seq: 0, at, entries }]);
  saveTurn(memory, first.id, turn(1, { prompt, content, files, startedAt: at, endedAt: at }));
  const said = (position: number, text: string, more: Parameters<typeof chunk>[2] = {}) =>
    chunk(position, text, { turn: 1, startedAt: at, endedAt: at, session: flaky, ...more });
  replaceChunks(memory, first.id, { type: "raw", from: 0 }, [
    said(0, `[USER] ${prompt}\n[ASSISTANT] It waits too short a time.`, {
      kind: "error-fix",
      files: ["src/retry.ts"],
    }),
    said(1, `[USER] ${choice}`, deciding(choice)),
    said(2, "[ASSISTANT] Lunch is at noon"),
  ]);
  const note = { uid: "n1", note: "Pauses are ten seconds", at, sessionUid: flaky, turn: 1, lineUid: null };
  saveNote(memory, { ...note, source: "prompt", branch: "main" });
  const old = addSession(memory, "0ld", { ...place, startedAt: now - 400 * day, lastAt: now - 400 * day });
  saveTurn(memory, old.id, turn(1, { startedAt: now - 400 * day }));
  const current = addSession(memory, open, { ...place, startedAt: now - 60_000, lastAt: now - 60_000 });
  saveTurn(memory, current.id, turn(1, { startedAt: now - 60_000 }));
  memory.close();
}

it("a digest names what was asked, in words, as Markdown and as JSON", async () => {
  const { code, stdout } = await pm("digest", "--since", "3d");
  expect(code).toBe(0);
  expect(stdout).toContain("2 decisions.");
  expect(stdout).toContain("> How do we fix the flaky resume test?");
  expect((await pm("digest", "--since", "3d", "--format", "markdown")).stdout).toContain(
    "- 8ecde0fc  Flaky resume test  *claude, main, 1 prompt",
  );
  expect((await json("digest", "--since", "3d", "--by", "project")).parts).toMatchObject([
    { sessions: [{}, { id: flaky }] },
  ]);
  expect((await pm("digest", "--until", "2019-12-31", "--since", "2019")).stdout).toContain(
    "Nothing recorded",
  );
});

describe("pm search", () => {
  it("finds code and conversations, each under its heading", async () => {
    const { stdout, stderr, code } = await pm("search", "retry flaky resume", "-n", "1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Code \(1 result\)\n═+\n\n(?:Maybe: .*\n\n)?1\. src\/retry\.ts:1/);
    expect(stdout).toMatch(/Sessions \(\d results?\)\n═+\n\n1\. 8ecde0fc:1 {2}Flaky resume test\n/);
    expect(stderr).toMatch(/the last session is from \d+ /);
    expect(await json("search", "retry flaky resume", "-n", "1")).toMatchObject({
      scope: "all",
      query: "retry flaky resume",
      code: { results: [{ file: "src/retry.ts" }] },
      transcripts: { scope: "transcripts", results: [{ session_id: flaky, kind: "error-fix" }] },
      notes: [],
    });
  });

  it("finds the content of sessions word by word", async () => {
    const { stdout, code } = await pm("search", "SHORT a time".toLowerCase(), "--in", "content");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1\. 8ecde0fc:1 /m);
    expect(stdout).toMatch(/ \| answer$/m);
    expect(stdout).toContain("It waits too short a time.");
    expect(await json("search", "sessions", "--regex", "short \\w+ time")).toMatchObject({
      searched_by: ["content"],
      results: [{ session_id: flaky, found_in: { role: "answer", tool: null } }],
    });
    const nothing = await pm("search", "sessions", "--exact", "a time short");
    expect(nothing.code).toBe(5);
    expect(nothing.stdout).toContain('Nothing found about "a time short".');
    expect((await pm("search", "sessions", "--regex", "(")).code).toBe(2);
  });

  it("finds one of them where the first word says so", async () => {
    expect(await json("search", "code", "retry", "-n", "1")).toMatchObject({
      results: [{ file: "src/retry.ts" }],
    });
    expect(await json("search", "transcripts", "flaky", "resume")).toMatchObject({
      scope: "transcripts",
      query: "flaky resume",
      results: [{ source: "transcript", session_title: "Flaky resume test", turn: 1 }],
    });
    const { stdout } = await pm("search", "--json", "--", "code");
    expect(JSON.parse(stdout)).toMatchObject({ scope: "all", query: "code" });
  });

  it("filters sessions", async () => {
    const found = async (...args: string[]) => {
      const { code, stdout } = await pm("search", "transcripts", "pause", ...args, "--json");
      const { length } = JSON.parse(stdout).results;
      expect(code).toBe(length > 0 ? 0 : 5);
      return length;
    };
    expect(await found()).toBe(1);
    expect(await found("--kind", "decision", "--branch", "main", "--since", "last week")).toBe(1);
    expect(await found("--until", "2020-01-01")).toBe(0);
    expect(await found("--session", "8ecde", "--file", "src/retry.ts")).toBe(0);
    const byPattern = ["search", "transcripts", "pau.e", "--mode", "regex"];
    expect(await json(...byPattern)).toMatchObject({ results: [{ match_reasons: ["matches the pattern"] }] });
  });

  it("rejects invalid arguments", async () => {
    const usage = { exit: 2, code: "usage" };
    expect(await refusal("search", "transcripts", "x", "--since", "whenever")).toEqual(usage);
    expect(await refusal("search", "transcripts", "(", "--mode", "regex")).toEqual(usage);
    expect(await refusal("search", "transcripts", "x", "--level", "method")).toEqual(usage);
    expect(await refusal("search", "x", "--type", "nope")).toEqual(usage);
    expect(await refusal("search", "x", "--session", "nobody's")).toEqual({ exit: 5, code: "not_found" });
  });
});

describe("pm session", () => {
  it("lists sessions, the latest first", async () => {
    expect((await json("session")).sessions.map(({ id }: { id: string }) => id)).toEqual([
      open,
      flaky,
      "0ld",
    ]);
    expect(await json("session", "list", "--since", "last week", "--limit", "1")).toMatchObject({
      sessions: [{ id: open }],
      total: 2,
    });
    const { stdout } = await pm("session", "list");
    expect(stdout).toMatch(/^session .*title\n(?:.*\n)*8ecde0fc .* 1 +claude +main +Flaky resume test$/m);
  });

  it("shows one, and a turn in full", async () => {
    const { stdout } = await pm("session", "show", "8ecde");
    expect(stdout).toMatch(/^Flaky resume test\n8ecde0fc-/);
    expect(stdout).toContain("How do we fix the flaky resume test?");
    expect(stdout).toContain("edit  src/retry.ts");
    expect((await pm("session", "show", "8ecde", "--turn", "1")).stdout).toBe(
      "[USER] How do we fix the flaky resume test?\n\n[ASSISTANT] It waits too short a time.\n",
    );
    for (const option of ["--full", "--outline"])
      expect((await pm("session", "8ecde", option)).stdout).toBe(
        (await pm("session", "show", "8ecde", option)).stdout,
      );
    expect((await pm("session", "show", "8ecde", "--full")).stdout).toContain(
      "\n[ASSISTANT] It waits too short",
    );
  });

  it("exits with 5 for unknown ids", async () => {
    expect(await refusal("session", "show", "nobody's")).toEqual({ exit: 5, code: "not_found" });
    expect(await refusal("session", "show", "8ecde", "--turn", "9")).toEqual({ exit: 5, code: "not_found" });
  });

  it("names the open ones, or the one that asks", async () => {
    expect(await json("session", "current")).toMatchObject({ current: null, sessions: [{ id: open }] });
    const asked = (id: string) =>
      callPm(["session", "current", "--json"], { cwd, env: { CLAUDE_CODE_SESSION_ID: id } });
    expect(JSON.parse((await asked(flaky)).stdout)).toMatchObject({
      current: flaky,
      sessions: [{ id: flaky }],
    });
    expect(JSON.parse((await asked("8ecde")).stdout)).toEqual({ current: "8ecde", sessions: [] });
  });
});

it("lists notes and decisions", async () => {
  expect(await json("annotations", "--search", "PAUSES")).toMatchObject({
    annotations: [{ note: "Pauses are ten seconds", session_id: flaky, turn: 1 }],
    total: 1,
  });
  expect((await pm("annotations")).stdout).toMatch(
    /^Your note: Pauses are ten seconds\n {2}.* \| session: 8ecde0fc:1/,
  );
  expect((await json("decisions")).decisions.map(({ text }: { text: string }) => text).sort()).toEqual([
    "Let's go with a longer pause between two retries",
    "Pauses are ten seconds",
  ]);
  expect(await json("decisions", "longer", "pause")).toMatchObject({
    query: "longer pause",
    decisions: [{ text: "Let's go with a longer pause between two retries", source: "conversation" }],
  });
});

it("lists the sessions that touched what has changed", async () => {
  const sessions = [{ session_id: flaky, files: [{ path: "src/retry.ts", how: "edit" }] }];
  expect(await json("related")).toMatchObject({ files: ["src/retry.ts"], sessions });
  execFileSync("git", ["-C", cwd, "add", "--all"]);
  execFileSync("git", ["-C", cwd, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]);
  expect(await json("related")).toMatchObject({ files: [], sessions: [] });
  expect(await json("related", "--files", "src/retry.ts,src/none.ts")).toMatchObject({ sessions });
});

describe("with an empty memory", () => {
  let empty: string;
  const inEmpty = (...args: string[]): Promise<PmResult> => callPm(args, { cwd: empty });

  beforeAll(async () => {
    empty = temporaryDir();
    writeFileSync(join(empty, "retry.ts"), "export function retry(): void {}\n");
    await inEmpty("init", "--no-hooks");
    await inEmpty("reindex");
  });

  it("searches code as if there were nothing else", async () => {
    const { stdout, stderr, code } = await inEmpty("search", "retry");
    expect({ code, stderr: stderr.replace(/^No daemon is running; the index is from.*\n/, "") }).toEqual({
      code: 0,
      stderr: "",
    });
    expect(stdout).toMatch(/^1\. retry\.ts:1 /);
    expect(JSON.parse((await inEmpty("search", "retry", "--json", "-n", "1")).stdout)).toMatchObject({
      code: { results: [{ file: "retry.ts" }] },
      transcripts: null,
      notes: [],
    });
  });

  it("exits with 3 when only conversations are asked for", async () => {
    for (const args of [["search", "transcripts", "x"], ["session"], ["annotations"], ["decisions"]]) {
      expect(await inEmpty(...args)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("No sessions recorded yet."),
      });
    }
  });
});

describe("pm memory export", () => {
  it("writes one session to stdout or a file, and replaces none", async () => {
    const { code, stdout } = await pm("memory", "export", "--session", "8ecde0fc");
    expect({ code, head: stdout.split("\n")[0] }).toEqual({ code: 0, head: "# Flaky resume test" });
    expect(stdout).toContain("> How do we fix the flaky resume test?\n\nIt waits too short a time.");
    expect(await json("memory", "export", "--session", "8ecde0fc")).toMatchObject({
      format: "pommel-session",
      version: 1,
      session: { id: flaky },
      turns: [{ number: 1, entries: [{ kind: "prompt" }, { kind: "text" }] }],
    });
    const to = join(temporaryDir(), "chat.html");
    expect(
      await pm("memory", "export", "--session", "8ecde0fc", "--format", "html", "--to", to),
    ).toMatchObject({
      code: 0,
    });
    expect(readFileSync(to, "utf8")).toMatch(/^<!doctype html>.*default-src 'none'/s);
    expect(await refusal("memory", "export", "--session", "8ecde0fc", "--to", to)).toEqual({
      exit: 2,
      code: "usage",
    });
    expect(await refusal("memory", "export", "--session", "nothing")).toEqual({ exit: 5, code: "not_found" });
    const part = ["share", "session", "8ecde0fc", "--no-output", "--turns"];
    expect(await json(...part, "1-", "--format", "json")).toMatchObject({
      turns: [{ number: 1 }],
      left_out: ["What commands and tools printed."],
    });
    expect(await refusal(...part, "7-9")).toEqual({ exit: 5, code: "not_found" });
  });

  it("writes several to a directory with an index", async () => {
    const to = join(temporaryDir(), "week");
    const { files, sessions } = await json("memory", "export", "--since", "7 days ago", "--to", to);
    expect(files).toHaveLength(sessions + 1);
    expect(readdirSync(to).sort()).toEqual(files.toSorted());
    const index = readFileSync(join(to, "index.md"), "utf8");
    for (const file of files) if (file !== "index.md") expect(index).toContain(`](${file})`);
    expect(await refusal("memory", "export", "--since", "7 days ago")).toEqual({ exit: 2, code: "usage" });
    expect(await refusal("memory", "export", "--since", "7 days ago", "--to", to)).toEqual({
      exit: 2,
      code: "usage",
    });
  });
});
