import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { locateHome } from "../../src/base/home.ts";
import type { Project } from "../../src/base/paths.ts";
import type { BlameAnswer } from "../../src/features/blame/operation.ts";
import type { SessionsResponse } from "../../src/features/sessions/operation.ts";
import type { SearchResponse } from "../../src/protocol/results.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { preloaded } from "../support/preloaded.ts";
import { rollout, threadId } from "../support/rollout-fixture.ts";
import { fork, idOf } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, found, pmJson, start, until, write } from "./daemon-fixture.ts";
import { callPm, runPm, temporaryDir } from "./run-pm.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

const filler = (count: number) =>
  `${Array.from({ length: count }, (_, i) => `export const n${i} = ${i};`).join("\n")}\n`;

/**
 * Situations of public bug reports of tools that do this job, made anew. Each test names its reports, and has a project of
 * its own. The first ones run without a daemon; the others share one, which answers for all their projects.
 */

let project: Project;
beforeEach(() => {
  project = createProject({});
  git("init", "--quiet", "--initial-branch=main");
  write(project, "README.md", "# Heron\n");
  commit("Start");
});
afterAll(async () => {
  await cleanUp();
  for (const dir of [".claude", ".codex"])
    rmSync(join(process.env.HOME!, dir), { recursive: true, force: true });
});

/** Commits are a minute apart. */
let minutes = 0;
const started = Date.now() - 24 * 3_600_000;
const nextTime = () => new Date(started + ++minutes * 60_000).toISOString();

function git(...args: string[]): string {
  const at = nextTime();
  return execFileSync(
    "git",
    ["-C", project.root, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at, GIT_EDITOR: "true" },
    },
  ).trim();
}
function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "-m", message);
}

/** A session that writes a file, which is then there. */
function agentWrites(name: string, file: string, text: string): void {
  const made = sessionIn(project, idOf(name), { start: nextTime() });
  made.prompt(`Write ${file} about ${name}.`);
  made.write(join(project.root, file), text);
  made.reply(`${file} is written.`);
  made.writeTo(transcriptDir(project));
  write(project, file, text);
}
const lines = (name: string, count = 4) =>
  `${Array.from({ length: count }, (_, i) => `export const ${name}Value${i} = compute${name}(${i}, "${name}");`).join("\n")}\n`;

async function importAll(): Promise<void> {
  await pmJson(project, "import", "claude");
  const { code } = await callPm(["checkpoint", "backfill", "--all"], { cwd: project.root });
  expect(code).toBe(0);
}
/** Who wrote each line of a file: "agent", "human", "unknown". */
async function authors(file: string): Promise<string[]> {
  const { ranges } = await pmJson<BlameAnswer>(project, "blame", file);
  return ranges.flatMap(({ first_line, last_line, author }) =>
    Array<string>(last_line - first_line + 1).fill(author),
  );
}
const checkpoints = async () =>
  (
    await pmJson<{ checkpoints: { subject: string; sessions: { session_id: string }[]; files?: unknown }[] }>(
      project,
      "checkpoint",
      "list",
    )
  ).checkpoints;
const sessions = () => pmJson<SessionsResponse>(project, "session", "list");
const search = async (query: string) => {
  const { stdout } = await callPm(["search", "sessions", query, "--json"], { cwd: project.root });
  return JSON.parse(stdout) as { results: { session_id: string }[]; error?: { code: string } };
};
const hook = (event: string, payload: object, agent = "claude") =>
  runPm(["hook", "--agent", agent, event], {
    cwd: project.root,
    env: { CLAUDE_PROJECT_DIR: "" },
    input: JSON.stringify(payload),
  });

describe("code search", () => {
  // colbymchenry/codegraph#443, #493, #654, #1474, Graphify-Labs/graphify#2051, macanderson/stella#3172,
  // jghiringhelli/codeseeker#3
  it("knows what was deleted, shifted, added and written later, in .mjs, .cjs, .mts and wrapped modules too", async () => {
    write(project, "src/a.mjs", "export function storkAlpha() {\n  return 1;\n}\n");
    write(
      project,
      "src/b.cjs",
      'const a = require("./a.mjs");\nfunction storkBeta() {\n  return a.storkAlpha();\n}\n',
    );
    write(
      project,
      "src/c.mts",
      "export function storkGamma(): number {\n  return 3;\n}\nexport function storkDelta(): number {\n  return 4;\n}\n",
    );
    write(
      project,
      "src/amd.js",
      'define(["x"], function (x) {\n  function storkOmega() {\n    return x;\n  }\n  return storkOmega;\n});\n',
    );
    write(project, "docs/gone.md", "# Stork nesting\n\nHow storkNesting works.\n");
    for (const name of ["storkAlpha", "storkBeta", "storkGamma", "storkOmega", "storkNesting"])
      expect(await found(project, name), name).not.toEqual([]);
    rmSync(join(project.root, "docs/gone.md"));
    rmSync(join(project.root, "src/a.mjs"));
    write(project, "src/c.mts", `${filler(20)}export function storkDelta(): number {\n  return 4;\n}\n`);
    write(project, "src/late.ts", "export function storkLate() {\n  return 9;\n}\n");
    await pmJson(project, "reindex");
    expect((await found(project, "storkLate"))[0]).toBe("src/late.ts");
    expect(await found(project, "storkNesting")).not.toContain("docs/gone.md");
    expect(await found(project, "storkAlpha")).not.toContain("src/a.mjs");
    const { stdout } = await callPm(["search", "code", "storkGamma", "--json"], { cwd: project.root });
    expect((JSON.parse(stdout) as SearchResponse).results.map(({ name }) => name)).not.toContain(
      "storkGamma",
    );
    // Lines that moved since: what is shown under a name is that name's.
    write(
      project,
      "src/c.mts",
      `${filler(7)}${filler(20)}export function storkDelta(): number {\n  return 4;\n}\n`,
    );
    const { results } = await pmJson<SearchResponse>(project, "search", "code", "storkDelta");
    expect(results.find(({ name }) => name === "storkDelta")?.content).toContain("function storkDelta");
  });

  // Graphify-Labs/graphify#2163, jj-vcs/jj#9105, colbymchenry/codegraph#682, sysevol-ai/CodeNib#641
  it("goes on with a byte order mark, garbage or a bad pattern in .gitignore, and absolute links", async () => {
    write(project, "hidden/secretive.ts", "export function ibisHidden() {}\n");
    write(project, "src/shown.ts", "export function ibisShown() {}\n");
    write(project, ".gitignore", "\ufeffhidden/\n\\[\n[z-a]\n");
    writeFileSync(
      join(project.root, "src/.gitignore"),
      Buffer.from([0x5b, 0x99, 0xc3, 0x28, 0xff, 0xfd, 0x0a, 0x00]),
    );
    symlinkSync("/nowhere/at/all", join(project.root, "src/dangling"));
    symlinkSync(join(project.root, "src/shown.ts"), join(project.root, "src/linked.ts"));
    expect(await found(project, "ibisShown")).toContain("src/shown.ts");
    expect(await found(project, "ibisHidden")).not.toContain("hidden/secretive.ts");
  });
});

describe("a note", () => {
  // thedotmack/claude-mem#2821, mksglu/context-mode#642
  it("is kept that came while another program held the memory", async () => {
    expect((await callPm(["note", "before"], { cwd: project.root })).code).toBe(0);
    const { memoryDb } = project;
    mkdirSync(locateHome().dataDir, { recursive: true });
    const other = new Sqlite(memoryDb, { mode: "write", timeoutMs: 5000 });
    other.exec("BEGIN IMMEDIATE");
    const lockedOut = join(temporaryDir(), "locked-out");
    const noted = runPm(["note", "heron at dusk"], {
      cwd: project.root,
      env: { ...preloaded("locked-out.cjs"), POMMEL_TEST_LOCKED_OUT: lockedOut },
    });
    await until(() => existsSync(lockedOut));
    other.exec("COMMIT");
    other.close();
    expect((await noted).code).toBe(0);
    const { annotations } = await pmJson<{ annotations: { note: string }[] }>(project, "memory", "notes");
    expect(annotations.map(({ note }) => note)).toEqual(["heron at dusk", "before"]);
  });
});

describe("who wrote a line stays known", () => {
  // git-ai-project/git-ai#97, #201, #977, #1113
  it("through a rebase of several commits, also with HEAD detached, onto changes of the same file", async () => {
    write(project, "src/shared.ts", lines("base", 12));
    commit("Shared");
    git("checkout", "--quiet", "-b", "topic");
    agentWrites("first", "src/first.ts", lines("first"));
    commit("First");
    agentWrites("second", "src/second.ts", lines("second"));
    commit("Second");
    git("checkout", "--quiet", "main");
    write(project, "src/shared.ts", `${lines("upstream", 3)}${lines("base", 12)}`);
    commit("Upstream");
    await importAll();
    git("checkout", "--quiet", "--detach", "topic");
    git("rebase", "--quiet", "main");
    git("branch", "--force", "topic");
    git("checkout", "--quiet", "topic");
    await importAll();
    expect(await authors("src/first.ts")).toEqual(Array(4).fill("agent"));
    expect(await authors("src/second.ts")).toEqual(Array(4).fill("agent"));
    expect(await authors("src/shared.ts")).not.toContain("agent");
  });

  // git-ai-project/git-ai#355, #494, #619, #725, #1658
  it("where a person changed only blanks, of empty lines, and of lines that an agent read but left", async () => {
    write(project, "src/human.ts", lines("human"));
    commit("By hand");
    const read = sessionIn(project, idOf("review"), { start: nextTime() });
    read.prompt("Review src/human.ts");
    read.read(join(project.root, "src/human.ts"), lines("human"));
    read.reply("It is fine.");
    read.writeTo(transcriptDir(project));
    const text = `${lines("crane", 2)}\n${lines("egret", 2)}`;
    agentWrites("blank", "src/agent.ts", text);
    commit("Agent");
    await importAll();
    expect(await authors("src/agent.ts")).toEqual(Array(5).fill("agent"));
    expect(await authors("src/human.ts")).not.toContain("agent");
    write(project, "src/agent.ts", text.replaceAll("export", "  export"));
    commit("Indent");
    await importAll();
    expect(await authors("src/agent.ts")).not.toContain("human");
  });

  // git-ai-project/git-ai#1660
  it("when an agent's work is stashed and a person works on at the same place", async () => {
    write(project, "src/place.ts", lines("place", 2));
    commit("Place");
    agentWrites("stashed", "src/place.ts", `${lines("place", 2)}${lines("stashed", 3)}`);
    git("stash", "--quiet");
    write(project, "src/place.ts", `${lines("place", 2)}${lines("byhand", 2)}`);
    commit("By hand");
    await importAll();
    expect((await authors("src/place.ts")).slice(2)).not.toContain("agent");
  });
});

describe("a commit has its own sessions and files", () => {
  // entireio/cli#181, #295, #359, #385
  it("one for each of three sessions, none of an idle one, after a compaction too", async () => {
    const idle = sessionIn(project, idOf("idle"), { start: nextTime() });
    idle.prompt("Think about the weather.");
    idle.reply("It rains.");
    idle.writeTo(transcriptDir(project));
    for (const name of ["one", "two", "three"]) {
      agentWrites(name, `src/${name}.ts`, lines(name));
      commit(`Add ${name}`);
    }
    const long = sessionIn(project, idOf("long"), { start: nextTime() });
    long.prompt("Start long work.");
    long.reply("Started.");
    long.compact("We worked long.", "manual");
    long.prompt("Go on.");
    long.write(join(project.root, "src/long.ts"), lines("long"));
    long.reply("Written.");
    long.writeTo(transcriptDir(project));
    write(project, "src/long.ts", lines("long"));
    commit("Add long");
    await importAll();
    const all = new Map(
      (await checkpoints()).map((one) => [one.subject, one.sessions.map((s) => s.session_id)]),
    );
    for (const name of ["one", "two", "three", "long"])
      expect(all.get(`Add ${name}`), name).toEqual([idOf(name)]);
  });
});

describe("transcripts", () => {
  // anthropics/claude-code#69440, #69927, delexw/claude-code-trace#85,
  // Dicklesworthstone/franken_agent_detection#9, wakatime/wakatime-cli#1519
  it("with half characters, times of other kinds and fields of another shape lose nothing else", async () => {
    const made = sessionIn(project, idOf("odd"), { start: nextTime() });
    made.prompt("Cut emoji \ud83d here, about pelicans.");
    made.bash("cat x", "output cut \ud83d");
    made.reply("Pelican answered.");
    const raw = made
      .text()
      .trimEnd()
      .split("\n")
      .map((line, i) => {
        const one = JSON.parse(line);
        if (i === 1) one.timestamp = 1_779_436_938_177_999_000;
        if (i === 2) Object.assign(one, { toolUseResult: 7, gitBranch: ["x"], version: null });
        return JSON.stringify(one);
      });
    const dir = transcriptDir(project);
    writeFileSync(join(dir, `${idOf("odd")}.jsonl`), `${raw.join("\n")}\n`);
    await importAll();
    const { stdout } = await callPm(["session", "show", idOf("odd"), "--turn", "1", "--json"], {
      cwd: project.root,
    });
    const shown = JSON.stringify(JSON.parse(stdout));
    expect(shown).toContain("pelicans");
    expect(shown).toContain("Pelican answered");
    expect((await search("pelicans")).results[0]?.session_id).toBe(idOf("odd"));
  });

  // kenn-io/agentsview#1370
  it("that are copied to go on in the background are one conversation", async () => {
    const made = sessionIn(project, idOf("before"), { start: nextTime() });
    made.prompt("Count the flamingos.");
    made.reply("There are twelve flamingos.");
    made.writeTo(transcriptDir(project));
    const on = fork(made, idOf("after"));
    on.prompt("And the storks?");
    on.reply("Three storks.");
    on.writeTo(transcriptDir(project));
    await importAll();
    const hits = (await search("twelve flamingos")).results.filter(
      ({ session_id }) => session_id === idOf("after"),
    );
    expect(hits).toEqual([]);
    expect((await search("storks")).results[0]?.session_id).toBe(idOf("after"));
  });

  // Dicklesworthstone/coding_agent_session_search#131, ohdearquant/khive#1064,
  // NousResearch/hermes-agent#7820, cozodb/cozo#167, 7xuanlu/wenlan#675, EKKOLearnAI/hermes-studio#139
  it("are found by ids with dashes, dates, operators, quotes and signs", async () => {
    const r = rollout({ session: threadId("beads"), cwd: project.root, start: nextTime() });
    r.turn();
    r.prompt("Close bd-q3fy and ADR-016 by 2026-12-15, see the wrong-book and node.js and c++ world's end");
    r.reply("Closed bd-q3fy.");
    r.writeTo(join(process.env.HOME!, ".codex"));
    const noise = rollout({ session: threadId("noise"), cwd: project.root, start: nextTime() });
    noise.turn();
    noise.prompt("Water the plants");
    noise.reply("Watered.");
    noise.writeTo(join(process.env.HOME!, ".codex"));
    await pmJson(project, "import", "codex");
    const queries = [
      "bd-q3fy",
      "ADR-016",
      "2026-12-15",
      "wrong-book OR mistakes",
      "node.js",
      "c++",
      "world's",
      '"world',
      "bd-q3fy*",
    ];
    for (const query of queries)
      expect((await search(query)).results[0]?.session_id, query).toBe(threadId("beads"));
    for (const query of ["(", "*", "NEAR(", "-", "col:"])
      expect([undefined, "usage"], query).toContain((await search(query)).error?.code);
  });
});

describe("hooks and the daemon", () => {
  // thedotmack/claude-mem#1705, #2547, #3280, mmnto-ai/totem#2522, anthropics/claude-code#88739
  it("print one JSON or nothing, without a directory and for a session that never comes, and record none", async () => {
    await start(project);
    const payloads = [
      [
        "session-start",
        {
          session_id: idOf("phantom"),
          hook_event_name: "SessionStart",
          source: "startup",
          cwd: project.root,
        },
      ],
      ["user-prompt", { session_id: idOf("phantom"), hook_event_name: "UserPromptSubmit", prompt: "hello" }],
      ["post-tool-use", { session_id: idOf("phantom"), hook_event_name: "PostToolUse", tool_name: "Bash" }],
      ["stop", {}],
    ] as const;
    for (const agent of ["claude", "codex"])
      for (const [event, payload] of payloads) {
        const { code, stdout } = await hook(event, payload, agent);
        expect(code, `${agent} ${event}`).toBe(0);
        if (stdout !== "") expect(Object.keys(JSON.parse(stdout)), event).toContain("hookSpecificOutput");
      }
    expect((await sessions()).sessions).toEqual([]);
  });

  // thedotmack/claude-mem#717, #729, #3267
  it("let the agent go on while the daemon hangs", async () => {
    const { pid } = await start(project);
    process.kill(pid, "SIGSTOP");
    try {
      const payload = {
        session_id: idOf("hang"),
        hook_event_name: "UserPromptSubmit",
        prompt: "hello",
        cwd: project.root,
      };
      expect(await hook("user-prompt", payload)).toMatchObject({ code: 0, signal: null, stdout: "" });
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });
});
