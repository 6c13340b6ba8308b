import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import type { BlameAnswer } from "../../src/features/blame/operation.ts";
import { blame as blameOperation } from "../../src/features/blame/operation.ts";
import {
  compareCheckpoints,
  listCheckpoints,
  showCheckpoint,
} from "../../src/features/checkpoints/operation.ts";
import { listDecisions } from "../../src/features/decisions/operation.ts";
import { listEvents } from "../../src/features/events/operation.ts";
import { findRelated } from "../../src/features/related/operation.ts";
import { previewRewind } from "../../src/features/rewind/operation.ts";
import { listSessions } from "../../src/features/sessions/operation.ts";
import type { StatsAnswer } from "../../src/features/stats/operation.ts";
import { showStats } from "../../src/features/stats/operation.ts";
import type { WhyAnswer } from "../../src/features/why/operation.ts";
import { why } from "../../src/features/why/operation.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { idOf } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, pmJson, until, untilIdle, write } from "./daemon-fixture.ts";
import { callPm, pmFile } from "./run-pm.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

let project: Project;
let transcripts: string;
/** For `beforeAll`: a repository, which the tests of a group share. */
function begin(): void {
  project = createProject({});
  transcripts = transcriptDir(project);
  git("init", "--quiet", "--initial-branch=main");
  write(project, "src/auth.ts", before);
  commit("Start", "2026-03-02T08:00:00Z");
}
async function end(): Promise<void> {
  await cleanUp();
  rmSync(transcripts, { recursive: true, force: true });
}

const before = "export function refresh() {\n  token = ask();\n}\n";
const old = "  token = ask();";
const now = "  token = withLock(() => ask());";
const session = idOf("refresh");
const pm = (...args: string[]) => callPm(args, { cwd: project.root });

function git(...args: string[]): string {
  const options = ["-C", project.root, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  return execFileSync("git", [...options, ...args], { encoding: "utf8" }).trim();
}

/** What `pm blame` writes for programs: the process itself, as bytes matter. */
const porcelain = (...args: string[]) =>
  execFileSync(process.execPath, [pmFile, "blame", ...args], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "ignore"],
  });

function commit(message: string, date: string): string {
  git("add", "--all");
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  execFileSync("git", ["-C", project.root, ...author, "commit", "--quiet", "-m", message], { env });
  return git("rev-parse", "HEAD");
}

/** An agent rewrites a line, a person adds one, both are committed together; then all of it is imported. */
async function agentAtWork(): Promise<string> {
  const fixture = sessionIn(project, session, { start: "2026-03-02T09:00:00.000Z" });
  fixture.prompt(
    "look at the token handling\n\nLet's use a lock instead of retrying, because two requests refresh at once.",
  );
  fixture.reply("I look at src/auth.ts first.");
  fixture.prompt("make token refresh atomic");
  fixture.reply("I wrap the request in the lock.");
  fixture.edit(join(project.root, "src/auth.ts"), old, now, 2);
  fixture.reply("Done, refreshing is atomic now.");
  fixture.writeTo(transcripts);
  write(project, "src/auth.ts", `${before.replace(old, now)}// by hand\n`);
  const hash = commit("Refresh atomically", "2026-03-02T09:10:00Z");
  await pmJson(project, "import", "claude");
  expect(await pm("checkpoint", "backfill", "--all")).toMatchObject({ code: 0 });
  // What lines are in, a decision may name: the index knows.
  expect(await pm("daemon", "reindex")).toMatchObject({ code: 0 });
  return hash;
}

/** What a command leaves out, or says in its own way. */
const withoutCounts = ({ paths: _, archived: __, ...answer }: Record<string, unknown>) => answer;

const blame = (...args: string[]) => pmJson<BlameAnswer>(project, "blame", ...args);

/** What a program that uses the client prints about the file. */
const printedByProgram = (env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(
    process.execPath,
    [fileURLToPath(new URL("../../examples/about-file.mjs", import.meta.url)), "src/auth.ts"],
    { cwd: project.root, encoding: "utf8", env: { ...process.env, ...env } },
  );

describe("an agent's line", () => {
  let hash: string;
  beforeAll(async () => {
    begin();
    hash = await agentAtWork();
  });
  afterAll(end);

  it("leads to its commit, session, turn, prompt and decision, in every command and form", async () => {
    const blamed = await blame("src/auth.ts");
    expect(blamed.ranges[1]).toMatchObject({
      author: "agent",
      session_id: session,
      turn: 2,
      commit: hash,
      first_line: 2,
    });
    expect(blamed.ranges.filter(({ author }) => author === "agent")).toHaveLength(1);

    const asText = await pm("blame", "src/auth.ts", "-L", "2,3");
    expect(asText.stdout.split("\n")[0]).toMatch(
      new RegExp(
        `^${hash.slice(0, 8)} agent \\S+ +${session.slice(0, 8)}:2 +\\d+% 2026-03-02 2\\) {3}token = withLock`,
      ),
    );
    expect(asText.stdout.trimEnd().split("\n")).toHaveLength(2);
    const summary = await pm("blame", "src/auth.ts", "--summary");
    expect(summary.stdout).toMatch(/agent +25% +1\n/);
    const asGit = porcelain("--line-porcelain", "-L", "2,3", "src/auth.ts").toString();
    expect(asGit.replace(/^pommel-.*\n/gm, "")).toBe(
      `${git("blame", "--line-porcelain", "-L2,3", "src/auth.ts")}\n`,
    );
    expect(asGit).toMatch(
      new RegExp(`^${hash} 2 2 1\\nauthor Ann\\n(.+\\n)+pommel-author agent\\n(.+\\n)+\\t  token`),
    );
    expect(asGit.match(/^pommel-session .*/gm)).toEqual([`pommel-session ${session}`]);
    const withTexts = await blame("src/auth.ts", "--text", "-L", "4,");
    expect(withTexts.lines).toEqual([{ line: 4, text: "// by hand" }]);

    const why = await pmJson<WhyAnswer>(project, "why", "src/auth.ts:2");
    expect(why).toMatchObject({
      file: "src/auth.ts",
      origins: [
        {
          commit: { hash, subject: "Refresh atomically" },
          checkpoint_id: expect.stringMatching(/^[0-9a-f]{12}$/),
          written_by: { author: "agent", session_id: session, turn: 2 },
          turn: {
            prompt: "make token refresh atomic",
            said_before: "I wrap the request in the lock.",
            tool: "Edit",
          },
        },
      ],
      decisions: [{ near: "session", is_before: true, turn: 1 }],
      earlier: [{ how: "changed", text: [old], commit: { subject: "Start" } }],
      freshness: { state: "stands" },
    });
    mkdirSync(join(project.root, "docs"));
    const output = (await callPm(["why", "../src/auth.ts#L2"], { cwd: join(project.root, "docs") })).stdout;
    expect(output).toContain("src/auth.ts:2");
    expect(output).toMatch(new RegExp(`Written by agent \\S+ in session ${session.slice(0, 8)}, turn 2`));
    expect(output).toContain("make token refresh atomic");
    expect(output).toContain("Let's use a lock instead of retrying");
    expect(output).toContain(`Next: pm session show ${session.slice(0, 8)} --turn 2; pm checkpoint rewind`);

    const stats = await pmJson<StatsAnswer>(project, "stats", "--path", "src");
    expect(stats).toMatchObject({
      commits: { in_history: 2, looked_at: 2, with_agent: 1 },
      total: { lines: 5, agent: 1 },
      by_session: [{ session_id: session, commits: 1, lines: 1 }],
    });
    expect((await pm("stats")).stdout).toContain("2 of 2 commits analysed");
    const cost = await pm("cost", "--since", "2020-01-01");
    expect(cost.stdout).toContain("session");
    expect(await pm("stats", "--cost", "--since", "2020-01-01")).toEqual(cost);
  });

  it("leads to the same over HTTP, and in a program that uses the client", async () => {
    const file = "src/auth.ts";
    // Who calls what is answered from the index.
    await untilIdle(project);
    const same: [command: string[], ask: () => Promise<unknown>][] = [
      [["why", `${file}:2`], () => callDaemon(project.root, why, { file, first_line: 2 })],
      [
        ["blame", file, "-L", "2,3"],
        () => callDaemon(project.root, blameOperation, { file, first_line: 2, last_line: 3 }),
      ],
      [["stats", "--path", "src"], () => callDaemon(project.root, showStats, { path: ["src", "src/**"] })],
      [["decisions", "--file", file], () => callDaemon(project.root, listDecisions, { file: [file] })],
      [["related", "--files", file], () => callDaemon(project.root, findRelated, { file: [file] })],
      [["checkpoint", "list"], () => callDaemon(project.root, listCheckpoints, {})],
      [["checkpoint", "show", hash], () => callDaemon(project.root, showCheckpoint, { id: hash })],
      [
        ["checkpoint", "diff", `${hash}~1`, hash],
        () => callDaemon(project.root, compareCheckpoints, { from: `${hash}~1`, to: hash }),
      ],
      [["rewind", hash], () => callDaemon(project.root, previewRewind, { target: hash })],
      [["event", "list"], () => callDaemon(project.root, listEvents, {})],
      [["session", "list"], () => callDaemon(project.root, listSessions, {})],
    ];
    for (const [command, ask] of same) {
      expect(await pmJson(project, ...command), command.join(" ")).toMatchObject(
        withoutCounts((await ask()) as Record<string, unknown>),
      );
    }
    const printed = printedByProgram();
    expect(printed).toContain("src/auth.ts: 4 lines, 1 by agents");
    expect(printed).toContain("2026-03-02  Let's use a lock instead of retrying");
  });

  it("has a contract that says how to ask for it", async () => {
    const { port, token } = readDaemonRecord()!;
    const url = `http://127.0.0.1:${port}/openapi.json`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(await response.json()).toMatchObject({
      openapi: "3.1.0",
      paths: {
        "/why": {
          get: {
            operationId: "why",
            parameters: [
              { name: "file", in: "query", required: true, schema: { type: "string" } },
              { name: "first_line", required: true, schema: { type: "integer", minimum: 1 } },
              { name: "last_line", required: false },
              { name: "rev", required: false },
              { name: "brief", required: false },
            ],
            responses: { 200: { content: { "application/json": { schema: { type: "object" } } } } },
          },
        },
        "/checkpoints/{id}": { get: { parameters: [{ name: "id", in: "path", required: true }] } },
      },
    });
    expect((await fetch(url)).status).toBe(401);
  });

  it("is known before it is committed", async () => {
    const fixture = sessionIn(project, idOf("later"), { start: new Date(Date.now() - 2000).toISOString() });
    fixture.prompt("say what is refreshed");
    fixture.edit(join(project.root, "src/auth.ts"), "// by hand", "// Refreshes the token of a session.", 4);
    fixture.writeTo(transcripts);
    write(project, "src/auth.ts", `${before.replace(old, now)}// Refreshes the token of a session.\n`);
    await until(async () => (await blame("src/auth.ts")).ranges.at(-1)?.session_id === idOf("later"));
    expect((await blame("src/auth.ts")).ranges.at(-1)).toMatchObject({
      author: "agent",
      commit: null,
      turn: 1,
    });
    const why = await pmJson<WhyAnswer>(project, "why", "src/auth.ts:4");
    expect(why).toMatchObject({
      origins: [{ commit: null, turn: { prompt: "say what is refreshed" } }],
      freshness: { state: "uncommitted" },
      earlier: [{ text: ["// by hand"] }],
    });
  });

  it("leads to the same in the program's own process, where no daemon runs and none may", async () => {
    const printed = printedByProgram();
    await pm("stop");
    expect(printedByProgram({ POMMEL_DAEMON_AUTOSTART: "false" })).toBe(printed);
    expect(readDaemonRecord()).toBeNull();
  });
});

describe("without an agent", () => {
  const bytes = "caf\xe9 = 1;\r\n\u001b[2J\f  \n\r\n\n pommel-author agent\n\t\n  ";
  beforeAll(() => {
    begin();
    writeFileSync(join(project.root, "odd.txt"), Buffer.from(bytes, "latin1"));
    commit("Odd", "2026-03-02T08:30:00Z");
  });
  afterAll(end);

  it.each(["--porcelain", "--line-porcelain"])("pm blame %s has git's very bytes", (format) => {
    const own = execFileSync("git", ["-C", project.root, "blame", format, "odd.txt"]).toString("latin1");
    const written = porcelain(format, "odd.txt").toString("latin1");
    expect(written.replace(/^pommel-.*\n/gm, "")).toBe(own);
    expect(written.match(/^pommel-author unknown$/gm)).toHaveLength(7);
    const past = porcelain(format, "--rev", "HEAD", "odd.txt").toString("latin1");
    expect(past.replace(/^pommel-.*\n/gm, "")).toBe(own);
  });

  it("git's part is shown, with a note on what is missing", async () => {
    const { code, stdout, stderr } = await pm("why", "src/auth.ts:2");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Author unknown; committed by Ann");
    expect(stdout).toContain("No sessions recorded yet.");
    expect((await blame("src/auth.ts")).notes[0]).toContain("No sessions recorded yet.");
    expect((await pm("stats")).stdout).toContain("No shares of lines yet.");
  });

  it("explains a whole file, and sums up a directory", async () => {
    const whole = await pm("why", "src/auth.ts");
    expect(whole.code).toBe(0);
    expect(whole.stdout).toMatch(/^src\/auth\.ts:1-3\n/);
    expect((await pm("why", "src/auth.ts", "2")).stdout).toMatch(/^src\/auth\.ts:2\n/);
    expect((await pm("blame")).stdout).toContain("No lines known");
  });

  it.each([
    [["why", "src/auth.ts:99"], 5, "src/auth.ts has only 3 lines."],
    [["why", "src/gone.ts:1"], 5, "src/gone.ts does not exist."],
    [["blame", "src", "-L", "1"], 2, "src is a directory."],
    [["blame", "../x.ts"], 2, "is outside the project"],
    [["blame", "src/auth.ts", "-L", "/x/"], 2, "is not a line range"],
    [["blame", "src/auth.ts", "--rev", "nowhere"], 5, "No commit nowhere."],
    [["stats", "--since", "whenever that is"], 2, "is not a date or time"],
    [["stats", "--cost", "--path", "src"], 2, "only --since, --until and --limit count"],
  ])("%j ends with %d", async (args, code, message) => {
    const result = await pm(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain("hint: ");
  });

  it("a name that is no UTF-8 is a file that is not there", async () => {
    writeFileSync(
      Buffer.concat([Buffer.from(`${project.root}/b`), Buffer.from([0xff]), Buffer.from(".ts")]),
      "x\n",
    );
    commit("An odd name", "2026-03-02T10:00:00Z");
    const { code, stderr } = await pm("blame", "b\ufffd.ts");
    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({
      code: 5,
      stderr: "error: b\ufffd.ts does not exist.",
    });
  });

  it("says so where there is no git", async () => {
    const elsewhere = createProject({ "src/auth.ts": before });
    const { code, stderr } = await callPm(["why", "src/auth.ts:1"], { cwd: elsewhere.root });
    expect(code).toBe(3);
    expect(stderr).toContain("is not a git repository");
  });
});
