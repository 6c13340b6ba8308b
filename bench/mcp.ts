/**
 * How fast `pm mcp` starts, compared with bare Node, and how fast and long its answers are.
 *
 *   npm run bench:mcp [-- --rounds 25] [--project DIR] [--query TEXT] [--json]
 *
 * A start is measured from the launch to the answers to `initialize` and `tools/list`, which a client needs for its first request.
 * With `--project`, the protocol's own client then calls each tool there, as often.
 */
import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { percentile, scratchDir } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "25" },
    project: { type: "string" },
    query: { type: "string", default: "retry with backoff" },
    json: { type: "boolean", default: false },
  },
});
// What is measured without a daemon must not start one.
process.env.POMMEL_DAEMON_AUTOSTART = "false";
const rounds = Number(options.rounds);
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const home = scratchDir("bench-mcp");
const opening = [
  {
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 1, method: "tools/list" },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");
/** The requests among them. */
const answersToOpening = 2;

/** Milliseconds until a process ends, or, with `said`, until it has answered these messages. */
function timeOf(args: string[], env: NodeJS.ProcessEnv, said?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let took: number | undefined;
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.on("error", reject);
    child.stdin.on("error", () => {});
    if (said !== undefined) child.stdin.write(said);
    let lines = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      lines += chunk.toString().split("\n").length - 1;
      if (lines < answersToOpening || took !== undefined) return;
      took = performance.now() - start;
      child.stdin.end();
    });
    child.on("exit", () => resolve(took ?? performance.now() - start));
  });
}

const median = (times: readonly number[]) => percentile(times, 50);

async function starts() {
  const times: Record<"node" | "mcp", number[]> = { node: [], mcp: [] };
  // In turn, so that what else the machine does hits both.
  for (let round = 0; round < rounds; round++) {
    times.node.push(await timeOf(["-e", "0"], {}));
    times.mcp.push(await timeOf([pm, "mcp"], { POMMEL_HOME: home }, opening));
  }
  const node = median(times.node);
  const mcp = median(times.mcp);
  return { node_ms: node, mcp_ms: mcp, ratio: mcp / node };
}

async function tools(project: string, query: string) {
  const client = new Client({ name: "bench", version: "1" });
  const env = process.env as Record<string, string>;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [pm, "mcp"], cwd: project, env }),
  );
  const calls: Record<string, Record<string, unknown>> = {
    code: { query },
    recall: { about: query },
    search_sessions: { query },
    list_checkpoints: {},
    rewind_preview: { target: "HEAD" },
    related: { query },
  };
  const measured = [];
  for (const [name, args] of Object.entries(calls)) {
    const times: number[] = [];
    let tokens = 0;
    for (let round = 0; round <= rounds; round++) {
      const start = performance.now();
      const { content } = await client.callTool({ name, arguments: args });
      // The first one loads what the tool needs.
      if (round > 0) times.push(performance.now() - start);
      // Text is all that a client hands to its model.
      tokens = Math.ceil(content.map((part) => (part.type === "text" ? part.text : "")).join("").length / 4);
    }
    measured.push({ name, p50_ms: median(times), p95_ms: percentile(times, 95), tokens });
  }
  await client.close();
  return measured;
}

const start = await starts();
const called = options.project === undefined ? [] : await tools(options.project, options.query);
if (options.json) console.log(JSON.stringify({ start, tools: called }, null, 2));
else {
  console.log("| start | ms | × bare Node |\n|---|---|---|");
  console.log(`| node -e 0 | ${start.node_ms.toFixed(1)} | 1 |`);
  console.log(`| pm mcp | ${start.mcp_ms.toFixed(1)} | ${start.ratio.toFixed(2)} |`);
  if (called.length > 0) console.log("\n| tool | p50 ms | p95 ms | tokens |\n|---|---|---|---|");
  for (const { name, p50_ms, p95_ms, tokens } of called) {
    console.log(`| \`${name}\` | ${p50_ms.toFixed(1)} | ${p95_ms.toFixed(1)} | ${tokens} |`);
  }
}
