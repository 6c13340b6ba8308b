/**
 * Speed of `pm blame` and `pm why` on a file of 5,000 lines and 500 commits, half of them an agent's, compared with git
 * alone.
 *
 *   npm run bench:blame [-- --lines 5000] [--commits 500] [--rounds 9] [--json]
 *
 * Generates the repository and its memory, always the same. `uncommitted` asks again after an agent has changed some
 * lines without a commit.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { seeded } from "../models/train/random.ts";
import type { TranscriptEntry } from "../src/agents/agent.ts";
import { computeLineKey } from "../src/attribution/lines/line-keys.ts";
import { attributionVersion } from "../src/attribution/lines/verdict.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { saveAttributions } from "../src/store/memory/commits/attributions.ts";
import { saveCommit } from "../src/store/memory/commits/commits.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { packContent } from "../src/store/memory/sessions/content.ts";
import { saveSession } from "../src/store/memory/sessions/sessions.ts";
import { saveTurn } from "../src/store/memory/sessions/turns.ts";
import { temporaryHome } from "../test/support/temporary-home.ts";
import { percentile } from "./measure.ts";

// What is measured without a daemon must not start one.
process.env.POMMEL_DAEMON_AUTOSTART = "false";

const { values: options } = parseArgs({
  options: {
    lines: { type: "string", default: "5000" },
    commits: { type: "string", default: "500" },
    rounds: { type: "string", default: "9" },
    json: { type: "boolean", default: false },
  },
});
const lineCount = Number(options.lines);
const commitCount = Number(options.commits);
const rounds = Number(options.rounds);
const turnsOfSession = 10;
const linesOfCommit = 20;
const file = "src/large.ts";
const start = Date.UTC(2026, 0, 5, 9);
const minute = 60_000;

// Neither the settings nor the daemon of who runs this take part.
const home = temporaryHome();
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const project = makeNewProject(mkdtempSync(join(tmpdir(), "pommel-blame-")));
const { root } = project;

/** What a commit did: lines that it wrote anew, by number from 1. */
interface Edit {
  at: number;
  lines: Map<number, string>;
}

const next = seeded(7);
const textOf = (line: number, version: number) =>
  `  const value${line} = compute(${version}, "${line * 31}", ${Math.floor(next() * 1e6)});`;

function makeHistory(): { edits: Edit[]; last: string[] } {
  const lines = Array.from({ length: lineCount }, (_, i) => textOf(i + 1, 0));
  const edits: Edit[] = [];
  const parts: string[] = [];
  for (let i = 0; i < commitCount; i++) {
    const edit: Edit = { at: start + i * minute, lines: new Map() };
    const from = Math.floor(next() * (lineCount - linesOfCommit));
    for (let line = from + 1; i > 0 && line <= from + linesOfCommit; line++)
      edit.lines.set(line, textOf(line, i));
    if (i === 0) for (const [j, text] of lines.entries()) edit.lines.set(j + 1, text);
    for (const [line, text] of edit.lines) lines[line - 1] = text;
    edits.push(edit);
    const content = `${lines.join("\n")}\n`;
    const message = `Change ${i}`;
    parts.push(
      `commit refs/heads/main\ncommitter Ann <ann@example.com> ${edit.at / 1000} +0000\n`,
      `data ${message.length}\n${message}\n`,
      `M 100644 inline ${file}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
    );
  }
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", root]);
  execFileSync("git", ["-C", root, "fast-import", "--quiet"], { input: parts.join("") });
  execFileSync("git", ["-C", root, "reset", "--quiet", "--hard"]);
  return { edits, last: lines };
}

/** Every second commit is a turn's: ten turns to a session. */
function remember(edits: readonly Edit[]): void {
  const hashes = execFileSync("git", ["-C", root, "rev-list", "--reverse", "HEAD"], { encoding: "utf8" });
  const memory = Memory.open(project.memoryDb, { readonly: false });
  memory.runInTransaction(() => {
    hashes
      .trim()
      .split("\n")
      .forEach((hash, i) => {
        rememberCommit(memory, hash, i, edits[i]!);
      });
  });
  memory.close();
}

function rememberCommit(memory: Memory, hash: string, i: number, edit: Edit): void {
  const isAgent = i % 2 === 1;
  const numbers = [...edit.lines.keys()];
  const uid = `session-${Math.floor(i / 2 / turnsOfSession)}`;
  const number = (Math.floor(i / 2) % turnsOfSession) + 1;
  const commit = saveCommit(
    memory,
    {
      hash,
      tree: hash,
      parents: [],
      branch: "main",
      author: "Ann",
      authoredAt: edit.at,
      committedAt: edit.at,
      subject: `Change ${i}`,
      patchId: null,
      rewrittenFrom: [],
      insertions: numbers.length,
      deletions: 0,
      seen: "hook" as const,
      attributed: attributionVersion,
    },
    [
      {
        path: file,
        oldPath: null,
        status: i === 0 ? "A" : "M",
        insertions: numbers.length,
        deletions: 0,
        added: [...edit.lines].map(([line, text]) => ({ line, key: computeLineKey(text) })),
      },
    ],
  );
  const range = {
    path: file,
    firstLine: numbers[0]!,
    lastLine: numbers.at(-1)!,
    toolUse: isAgent ? `t${i}` : null,
  };
  const by = isAgent
    ? {
        author: "agent" as const,
        sessionUid: uid,
        turn: number,
        model: "claude-opus-4-5",
        how: "edit" as const,
      }
    : { author: "human" as const, sessionUid: null, turn: null, model: null, how: "absence" as const };
  saveAttributions(memory, commit.id, [{ ...range, ...by, confidence: 1 }]);
  if (isAgent) rememberTurn(memory, { uid, number, edit, use: `t${i}` });
}

function rememberTurn(
  memory: Memory,
  { uid, number, edit, use }: { uid: string; number: number; edit: Edit; use: string },
): void {
  const startedAt = edit.at - minute / 2;
  const session = saveSession(memory, { uid, agent: "claude", cwd: root, startedAt, lastAt: edit.at });
  const [[first] = [1], lines] = [[...edit.lines.keys()], [...edit.lines.values()]];
  const [path, count] = [join(root, file), lines.length];
  const hunk = {
    oldStart: first!,
    oldLines: 0,
    newStart: first!,
    newLines: count,
    lines: lines.map((line) => `+${line}`),
  };
  const entries: TranscriptEntry[] = [
    { kind: "prompt", text: `Change the values from ${first}`, images: 0 },
    { kind: "text", text: "They are computed anew, as the inputs changed." },
    { kind: "tool_use", id: use, tool: "Edit", input: { file_path: path }, files: [{ path, how: "edit" }] },
    {
      kind: "tool_result",
      id: use,
      text: "ok",
      isError: false,
      subagent: null,
      edits: [{ path, hunks: [hunk], content: null }],
    },
  ];
  saveTurn(memory, session.id, {
    number,
    startedAt,
    endedAt: edit.at,
    branch: "main",
    abandoned: false,
    state: "completed",
    groupStart: number,
    tools: { Edit: 1 },
    actions: { write: 1 },
    prompt: `Change the values from ${first}`,
    files: [{ path: file, how: "edit" }],
    content: packContent(
      entries.map((entry, seq) => ({ uid: null, seq, at: startedAt + seq, entries: [entry] })),
    ),
  });
}

/** An agent changes some lines, without a commit. */
function changeMore(last: readonly string[]): void {
  const edit: Edit = { at: Date.now(), lines: new Map() };
  for (let line = 101; line <= 150; line++) edit.lines.set(line, textOf(line, -1));
  const memory = Memory.open(project.memoryDb, { readonly: false });
  rememberTurn(memory, { uid: "session-now", number: 1, edit, use: "now" });
  memory.close();
  const changed = last.map((text, i) => edit.lines.get(i + 1) ?? text);
  writeFileSync(join(root, file), `${changed.join("\n")}\n`);
}

/** Milliseconds that a command takes, in the middle of several. */
function timed(command: string, args: readonly string[]): number {
  const times = Array.from({ length: rounds }, () => {
    const begin = performance.now();
    const { status, stderr } = spawnSync(command, args, { cwd: root, maxBuffer: 1e9, encoding: "utf8" });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}`);
    return performance.now() - begin;
  });
  return percentile(times, 50);
}

function measure() {
  const git = timed("git", ["blame", "--porcelain", "--", file]);
  const blame = timed(process.execPath, [pm, "blame", file, "--json"]);
  const middle = Math.floor(lineCount / 2);
  const gitLine = timed("git", ["blame", "--porcelain", "-L", `${middle},${middle}`, "--", file]);
  return {
    git_blame_ms: git,
    pm_blame_ms: blame,
    pm_blame_on_top_ms: blame - git,
    git_blame_line_ms: gitLine,
    pm_why_ms: timed(process.execPath, [pm, "why", `${file}:${middle}`, "--json"]),
    pm_stats_ms: timed(process.execPath, [pm, "stats", "--json"]),
  };
}

try {
  const { edits, last } = makeHistory();
  remember(edits);
  const node = timed(process.execPath, ["-e", "0"]);
  const committed = measure();
  changeMore(last);
  const uncommitted = measure();
  const figures = { lines: lineCount, commits: commitCount, node_start_ms: node, committed, uncommitted };
  if (options.json) console.log(JSON.stringify(figures, null, 2));
  else {
    console.log(`${lineCount} lines, ${commitCount} commits; node starts in ${node.toFixed(0)} ms`);
    for (const [name, row] of Object.entries({ committed, uncommitted })) {
      const cells = Object.entries(row).map(([key, ms]) => `${key.replace(/_ms$/, "")} ${ms.toFixed(0)} ms`);
      console.log(`${name}: ${cells.join(", ")}`);
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
  home.remove();
}
