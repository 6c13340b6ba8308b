/**
 * What a hook costs as a process, compared with bare Node, and how many of a burst get their answer in time.
 *
 *   npm run bench:hooks -- --project DIR [--runs 41] [--burst 50] [--markdown]
 *
 * DIR is an initialised project with sessions in its memory, whose daemon runs. Every hook is one of another session, so that each
 * has something to be told. Runs alternate with bare Node: compare the ratios of CPU time, as the clock depends on what else runs.
 * A burst is of prompts, each as soon as the one before is done, or several at once; late is what the hook itself reports, whose
 * deadline counts from its own start. What was injected into the sessions that only exist here is forgotten at the end.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { callDaemon } from "../src/client/daemon-client.ts";
import { listInjections } from "../src/features/context/operation.ts";
import { listSessions } from "../src/features/sessions/operation.ts";
import { percentile, printTable } from "./measure.ts";
import { childrenCpuMs, runPm } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    project: { type: "string" },
    runs: { type: "string", default: "41" },
    burst: { type: "string", default: "50" },
    markdown: { type: "boolean", default: false },
  },
});
if (options.project === undefined) throw new Error("--project DIR is needed");
const root = resolve(options.project);
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const [runs, burst] = [Number(options.runs), Number(options.burst)];
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
  };
  return JSON.stringify({
    session_id: randomUUID(),
    transcript_path: `${root}/no-transcript.jsonl`,
    cwd: root,
    hook_event_name: event,
    ...more[event],
  });
}

function cpuMs(args: readonly string[], input = ""): number {
  const before = childrenCpuMs();
  // The kernel counts in steps of ten milliseconds.
  for (let i = 0; i < 5; i++)
    spawnSync(process.execPath, args, { cwd: root, input, stdio: ["pipe", "ignore", "ignore"] });
  return (childrenCpuMs() - before) / 5;
}

const hooks = [
  ["stop", "Stop"],
  ["session-start", "SessionStart"],
  ["user-prompt", "UserPromptSubmit"],
  ["post-tool-use", "PostToolUse"],
] as const;
const median = (values: number[]) => percentile(values, 50);
const costs = hooks.map(([hook, event]) => {
  const pairs = Array.from({ length: Math.ceil(runs / 5) }, (_, i) => ({
    bare: cpuMs(["-e", "0"]),
    own: cpuMs([pm, "hook", hook], payload(event, i)),
  }));
  const ratio = pairs.reduce((sum, { own }) => sum + own, 0) / pairs.reduce((sum, { bare }) => sum + bare, 0);
  return [
    `pm hook ${hook}`,
    median(pairs.map(({ bare }) => bare)),
    median(pairs.map(({ own }) => own)),
    ratio,
  ] as const;
});
printTable(
  ["hook", "bare Node (CPU ms)", "hook (CPU ms)", "ratio of the sums"],
  costs.map(([hook, bare, own, ratio]) => [hook, bare.toFixed(0), own.toFixed(0), ratio.toFixed(2)]),
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
    `${median(times).toFixed(0)} / ${percentile(times, 95).toFixed(0)}`,
  ]);
}
console.log("");
printTable(["burst", "in time", "told something", "process (ms, p50 / p95)"], rows, options);
