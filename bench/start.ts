/**
 * The cost of `pm` commands as processes, compared with bare Node, with a warm daemon.
 *
 *   npm run bench:start -- --project DIR [--node FILE ...] [--runs 21] [--only search,why] [--here] [--json]
 *
 * --here also runs each question as `pm -C .`, which no daemon runs for it: it asks over the socket and renders the answer itself.
 *
 * DIR is an initialised project with sessions in its memory; `why` and `blame` use the best result of a search,
 * `session show` about the latest session. --node names other versions of Node, each of which runs both `pm` and the bare
 * start for comparison. The runs alternate, so that a slow moment of the machine affects both.
 */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { percentile } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    project: { type: "string" },
    node: { type: "string", multiple: true, default: [process.execPath] },
    runs: { type: "string", default: "21" },
    only: { type: "string" },
    here: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
if (options.project === undefined) throw new Error("--project DIR is needed");
const root = resolve(options.project);
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const query = "where are sessions stored";

function json<T>(...args: string[]): T {
  const { stdout, status } = spawnSync(process.execPath, [pm, ...args, "--json"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`pm ${args.join(" ")}: ${stdout}`);
  return JSON.parse(stdout) as T;
}

json("start", "--wait");
const { results } = json<{ results: { file: string; start_line: number }[] }>("search", "code", query);
const { sessions } = json<{ sessions: { id: string }[] }>("session", "list", "-n", "1");
const { file, start_line } = results[0] ?? { file: "README.md", start_line: 1 };
const hook = JSON.stringify({
  session_id: "11111111-2222-4333-8444-555555555555",
  transcript_path: join(root, "no-transcript.jsonl"),
  cwd: root,
  hook_event_name: "Stop",
  stop_hook_active: false,
});
const all: [args: string[], input?: string][] = [
  [["hook", "stop"], hook],
  [["search", "code", query]],
  [["search", query]],
  [["why", `${file}:${start_line}`]],
  [["blame", file]],
  [["stats"]],
  [["session", "list"]],
  ...sessions.map(({ id }): [string[]] => [["session", "show", id]]),
  [["decisions"]],
  [["related", "--files", file]],
  [["checkpoint", "list"]],
  [["event", "list"]],
  [["daemon", "queue"]],
  [["status"]],
];
const only = options.only?.split(",");
const commands = all.filter(([[name = ""]]) => only?.includes(name) ?? true);

function wallMs(node: string, args: readonly string[], input = ""): number {
  const start = performance.now();
  const { status } = spawnSync(node, args, { stdio: ["pipe", "pipe", "pipe"], cwd: root, input });
  if (status !== 0) throw new Error(`${node} ${args.join(" ")} exited with ${status}`);
  return performance.now() - start;
}

const median = (values: number[]) => percentile(values, 50);
const rows = options.node.flatMap((node) => {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return commands.map(([args, input]) => {
    // What a command needs is loaded into the daemon with the first run.
    for (let i = 0; i < 2; i++) wallMs(node, [pm, ...args], input);
    const pairs = Array.from({ length: Number(options.runs) }, () => ({
      bare: wallMs(node, ["-e", "0"]),
      pm: wallMs(node, [pm, ...args], input),
      ...(options.here && args[0] !== "hook" && { here: wallMs(node, [pm, "-C", ".", ...args]) }),
    }));
    return {
      node: stdout.trim(),
      command: args
        .slice(0, args[0] === "search" ? -1 : 2)
        .join(" ")
        .replace(file, "<file>"),
      bare_ms: median(pairs.map(({ bare }) => bare)),
      pm_ms: median(pairs.map((pair) => pair.pm)),
      ratio: median(pairs.map((pair) => pair.pm / pair.bare)),
      here_ratio: median(pairs.map(({ here = 0, bare }) => here / bare)),
    };
  });
});

if (options.json) console.log(JSON.stringify(rows, null, 2));
else {
  const versions = [...new Set(rows.map(({ node }) => node))];
  console.log(
    `| command | ${versions.map((node) => `${node}: ms | ratio${options.here ? " | here" : ""}`).join(" | ")} |`,
  );
  console.log(`|---|${versions.map(() => (options.here ? "--:|--:|--:|" : "--:|--:|")).join("")}`);
  for (const command of new Set(rows.map((row) => row.command))) {
    const cells = versions.map((version) => {
      const row = rows.find((each) => each.command === command && each.node === version)!;
      return `${row.pm_ms.toFixed(0)} | ${row.ratio.toFixed(2)}${options.here ? ` | ${row.here_ratio.toFixed(2)}` : ""}`;
    });
    console.log(`| \`pm ${command}\` | ${cells.join(" | ")} |`);
  }
  const bare = versions.map((version) =>
    median(rows.filter(({ node }) => node === version).map((row) => row.bare_ms)),
  );
  console.log(
    `| \`node -e 0\` | ${bare.map((ms) => `${ms.toFixed(0)} | 1${options.here ? " | 1" : ""}`).join(" | ")} |`,
  );
}
