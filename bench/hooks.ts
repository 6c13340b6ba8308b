/**
 * What a hook costs as a process, compared with bare Node, and how many of a burst get their answer in time.
 *
 *   npm run bench:hooks -- --project DIR [--runs 41] [--burst 50] [--markdown]
 *   npm run bench:hooks -- --rules [--runs 41] [--markdown]
 *
 * `--rules`: of the hook before a call alone, in a home of its own with ten rules: a command, an edit and a search that no rule is
 * about, and a command that one of them reminds of, asks about or denies. It needs neither a project nor a daemon.
 * DIR is an initialised project with sessions in its memory, whose daemon runs. Every hook is one of another session, so that each
 * has something to be told. Runs alternate with bare Node: compare the ratios of CPU time, as the clock depends on what else runs.
 * A burst is of prompts, each as soon as the one before is done, or several at once; late is what the hook itself reports, whose
 * deadline counts from its own start. What was injected into the sessions that only exist here is forgotten at the end.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { callDaemon } from "../src/client/daemon-client.ts";
import { listInjections } from "../src/features/context/operation.ts";
import type { ReadyRule, ReadyRules } from "../src/features/rules/before-call.ts";
import type { RuleCheck } from "../src/features/rules/check.ts";
import { makePathCheck } from "../src/features/rules/find-rules.ts";
import type { RuleMode } from "../src/features/rules/operation.ts";
import { listSessions } from "../src/features/sessions/operation.ts";
import { percentile, printTable, scratchDir } from "./measure.ts";
import { childrenCpuMs, runPm } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    project: { type: "string" },
    runs: { type: "string", default: "41" },
    burst: { type: "string", default: "50" },
    rules: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const [runs, burst] = [Number(options.runs), Number(options.burst)];
/** The kernel counts in steps of ten milliseconds. */
const runsAtOnce = 5;
const columns = [
  "bare Node (CPU ms, p50 / p95)",
  "hook (CPU ms, p50 / p95)",
  "ratio of the sums",
  "of the p95",
  "bare Node (clock, ms, p95)",
  "hook (clock, ms, p95)",
  "ratio",
];
if (options.rules) {
  await measureRules();
  process.exit();
}
if (options.project === undefined) throw new Error("--project DIR or --rules is needed");
const root = resolve(options.project);
runPm(root, "start", "--wait");
const { sessions } = await callDaemon(root, listSessions, { limit: 50 }, 60_000);
const prompts = sessions.flatMap(({ title }) => title ?? []);
const [file = "README.md"] = spawnSync("git", ["-C", root, "ls-files", "*.go", "*.ts", "*.py"], {
  encoding: "utf8",
}).stdout.split("\n");

function payload(event: string, i: number): string {
  const more: Readonly<Record<string, object>> = {
    UserPromptSubmit: { prompt: prompts[i % prompts.length] ?? "go on" },
    SessionStart: { source: "startup" },
    PostToolUse: {
      tool_name: "Edit",
      tool_input: { file_path: `${root}/${file}`, old_string: "one\ntwo", new_string: "three\nfour" },
    },
    // Rules, dead ends and the radar are asked, as far as they are on in DIR and something is ready for them.
    PreToolUse: { tool_name: "Bash", tool_input: { command: "git push origin HEAD:main" } },
  };
  return JSON.stringify({
    session_id: randomUUID(),
    transcript_path: `${root}/no-transcript.jsonl`,
    cwd: root,
    hook_event_name: event,
    ...more[event],
  });
}

/** Of runs, one after the other. */
interface Cost {
  /** For one of them, on average. */
  cpuMs: number;
  /** Of each. */
  clockMs: number[];
}

function measureRuns(args: readonly string[], cwd: string, input = ""): Cost {
  const before = childrenCpuMs();
  const clockMs = Array.from({ length: runsAtOnce }, () => {
    const start = performance.now();
    spawnSync(process.execPath, args, { cwd, input, stdio: ["pipe", "ignore", "ignore"] });
    return performance.now() - start;
  });
  return { cpuMs: (childrenCpuMs() - before) / runsAtOnce, clockMs };
}

/** In turns with bare Node. @param makeInput what the hook reads */
function measureCost(hook: string, cwd: string, makeInput: (i: number) => string): string[] {
  const pairs = Array.from({ length: Math.ceil(runs / runsAtOnce) }, (_, i) => ({
    bare: measureRuns(["-e", "0"], cwd),
    own: measureRuns([pm, "hook", hook], cwd, makeInput(i)),
  }));
  const sum = (values: number[]) => values.reduce((all, one) => all + one, 0);
  const ratio = (own: number, bare: number) => (own / bare).toFixed(2);
  const [bare, own] = [pairs.map((pair) => pair.bare.cpuMs), pairs.map((pair) => pair.own.cpuMs)];
  const [bareClock, ownClock] = [
    percentile(
      pairs.flatMap((pair) => pair.bare.clockMs),
      95,
    ),
    percentile(
      pairs.flatMap((pair) => pair.own.clockMs),
      95,
    ),
  ];
  const [bareP95, ownP95] = [percentile(bare, 95), percentile(own, 95)];
  return [
    `${percentile(bare, 50).toFixed(0)} / ${bareP95.toFixed(0)}`,
    `${percentile(own, 50).toFixed(0)} / ${ownP95.toFixed(0)}`,
    ratio(sum(own), sum(bare)),
    ratio(ownP95, bareP95),
    bareClock.toFixed(0),
    ownClock.toFixed(0),
    ratio(ownClock, bareClock),
  ];
}

/** The hook before a call, by rules that are ready for it. */
async function measureRules(): Promise<void> {
  const home = scratchDir("hooks-rules");
  const dir = join(home, "project");
  process.env.POMMEL_HOME = join(home, "pommel");
  spawnSync("git", ["init", "--quiet", dir]);
  const { writeReadyPart } = await import("../src/protocol/ready-context.ts");
  const checks: RuleCheck[] = [
    ...["push main", "push --force", "stash", "rebase", "reset --hard"].map(
      (words): RuleCheck => ({ kind: "command", words: ["git", ...words.split(" ")] }),
    ),
    makePathCheck("db/migrations/"),
    makePathCheck("package-lock.json"),
    { kind: "added", text: "fmt.Println" },
    { kind: "added", text: "console.log(" },
    { kind: "tool", name: "mcp__playwright__*" },
  ];
  const modeOf = { "push main": "deny", stash: "ask" } as Readonly<Record<string, RuleMode>>;
  const rules = checks.map((check, i): ReadyRule => {
    const mode = (check.kind === "command" && modeOf[check.words.slice(1).join(" ")]) || "remind";
    return { id: `0000000${i}`, text: `rule ${i}`, times: 1, sessions: 1, mode, check };
  });
  const part: ReadyRules = { root: dir, rules };
  writeReadyPart("rules", part);
  const call = (tool_name: string, tool_input: object) => (): string =>
    JSON.stringify({
      session_id: randomUUID(),
      transcript_path: `${dir}/no-transcript.jsonl`,
      cwd: dir,
      hook_event_name: "PreToolUse",
      tool_name,
      tool_input,
    });
  const edit = { file_path: `${dir}/a.ts`, old_string: "one\ntwo", new_string: "three\nfour" };
  const cases = [
    ["a command, no rule applies", call("Bash", { command: "npm test -- --run src && git status" })],
    ["an edit, no rule applies", call("Edit", edit)],
    ["a command, one reminds", call("Bash", { command: "git rebase main" })],
    ["a command, one asks", call("Bash", { command: "git stash" })],
    ["a command, one denies", call("Bash", { command: "git push origin HEAD:main" })],
  ] as const;
  const asked = cases.map(([, makeInput]) =>
    spawnSync(process.execPath, [pm, "hook", "pre-tool-use"], {
      cwd: dir,
      input: makeInput(),
      encoding: "utf8",
    }),
  );
  // What is measured does what its name says.
  const said = asked.map(
    ({ stdout }) => /"permissionDecision":"(\w+)"/.exec(stdout)?.[1] ?? stdout.slice(0, 20),
  );
  if (said[0] !== "" || said[1] !== "" || said[2] === "" || said[3] !== "ask" || said[4] !== "deny")
    throw new Error(`unexpected answers: ${said.join(", ")}`);
  const load = loadavg()[0]!.toFixed(1);
  printTable(
    [`pm hook pre-tool-use, ten rules (load ${load})`, ...columns],
    [
      ["pm hook stop, for comparison", ...measureCost("stop", dir, call("", {}))],
      ...cases.map(([name, makeInput]) => [name, ...measureCost("pre-tool-use", dir, makeInput)]),
    ],
    options,
  );
}

const hooks = [
  ["stop", "Stop"],
  ["session-start", "SessionStart"],
  ["user-prompt", "UserPromptSubmit"],
  ["post-tool-use", "PostToolUse"],
  ["pre-tool-use", "PreToolUse"],
] as const;
printTable(
  ["hook", ...columns],
  hooks.map(([hook, event]) => [`pm hook ${hook}`, ...measureCost(hook, root, (i) => payload(event, i))]),
  options,
);

function answered(i: number): Promise<{ ms: number; isTold: boolean }> {
  return new Promise((done, fail) => {
    const start = performance.now();
    let said = "";
    const child = spawn(process.execPath, [pm, "hook", "user-prompt"], {
      cwd: root,
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.on("error", fail);
    child.stdout.on("data", (text) => {
      said += text;
    });
    child.on("close", () => done({ ms: performance.now() - start, isTold: said !== "" }));
    child.stdin.end(payload("UserPromptSubmit", i));
  });
}

const missedSince = async (start: number) => {
  // The daemon reads what hooks left behind.
  await new Promise((done) => setTimeout(done, 3000));
  const { missed } = await callDaemon(root, listInjections, { limit: 1 }, 60_000);
  return missed.filter(({ at }) => Date.parse(at) >= start).length;
};
const rows: string[][] = [];
for (const atOnce of [1, 2, 4]) {
  const start = Date.now();
  const times: number[] = [];
  let told = 0;
  for (let i = 0; i < burst; i += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, burst - i) }, (_, j) => answered(i + j));
    for (const { ms, isTold } of await Promise.all(some)) {
      times.push(ms);
      told += isTold ? 1 : 0;
    }
  }
  const late = await missedSince(start);
  rows.push([
    `${burst}, ${atOnce === 1 ? "one after the other" : `${atOnce} at once`}`,
    `${burst - late} of ${burst}`,
    `${told}`,
    `${percentile(times, 50).toFixed(0)} / ${percentile(times, 95).toFixed(0)}`,
  ]);
}
console.log("");
printTable(["burst", "in time", "told something", "process (ms, p50 / p95)"], rows, options);
