/**
 * Writes what every command, tool and hover of a built `pm` says about the repository of the demo, a file each, so that two
 * builds can be compared: a change of words should change the files that it is about, and no other.
 *
 *   npx tsx test/golden/record.ts --out /tmp/before [--pm OTHER/bin/pm.cjs]
 *   npx tsx test/golden/record.ts --out /tmp/after
 *   git diff --no-index /tmp/before /tmp/after
 *
 * Days, names of commits and paths are the same in each run; durations, sizes, ports and other numbers that are not are replaced.
 * Commands are those of `readings` below, and the examples in the help of the build itself.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { tellStory } from "../../src/features/demo/tell-story.ts";

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    pm: { type: "string", default: fileURLToPath(new URL("../../bin/pm.cjs", import.meta.url)) },
  },
});
if (!options.out) {
  console.error("usage: tsx test/golden/record.ts --out DIR [--pm FILE]");
  process.exit(2);
}
const out = resolve(options.out);
const pm = resolve(options.pm);

/** The same place for each build: paths stand in answers, and their length decides what is cut. */
const base = join(realpathSync(tmpdir()), "pommel-golden");
const root = join(base, "harbor");
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: base,
  TZ: "UTC",
  LANG: "C.UTF-8",
  NO_COLOR: "1",
  COLUMNS: "120",
  PAGER: "cat",
};
const storyDay = Date.parse("2026-03-05T16:00:00Z");
/** A command that runs until somebody ends it has said by then what it says. Milliseconds. */
const timeoutMs = 60_000;

/** Questions that the story answers. */
const readings = [
  "search retry jitter",
  "search code backoff",
  "search code -x jitter",
  "search sessions why do the retries use jitter",
  "search history retry",
  "search all retry",
  "search nothing-like-this-anywhere",
  "search symbol withRetries",
  "why src/http/retry.ts:15",
  "why src/http/retry.ts",
  "why src/http/retry.ts:1-30",
  "why src/nowhere.ts:1",
  "blame src/http/retry.ts",
  "blame src",
  "blame src/http/retry.ts:10-20",
  "how test",
  "how deploy",
  "fix ERR_MODULE_NOT_FOUND",
  "fix no-such-error-anywhere",
  "review HEAD",
  "review HEAD~2..HEAD",
  "review",
  "recall retry",
  "recall",
  "session list",
  "session show",
  "checkpoint list",
  "checkpoint show HEAD",
  "checkpoint diff HEAD~1",
  "checkpoint rewind HEAD~1",
  "code related --files src/http/retry.ts",
  "code impact withRetries",
  "memory decisions",
  "memory questions",
  "memory lost src/http/retry.ts",
  "memory dead-ends",
  "dead-ends",
  "rules",
  "radar",
  "digest --since 2026-03-01",
  "stats",
  "cost",
  "status",
  "doctor",
  "context show",
  "context --event session-start",
  "handoff",
  "note list",
  "event list",
  "undo",
  "projects",
  "jobs",
  "queue",
  "config list",
  "models list",
  "audit",
  "share status",
  "backup list",
  "trash list",
  "nonsense",
];
const forms = ["", "--json"];

/** Examples that end by themselves, and change nothing that others are asked about, nor anything outside the directory. */
const isRunnable = (line: string) =>
  !/[|<>$*~]|(?:^|[ =])\/|^(?:mcp|lsp|demo|open|browse|daemon|start|stop|restart|setup|init|uninstall|enable|disable|share|models|bench|ui|hook|page|-C|import|restore|encryption)\b|^event (?!list)|--(?:watch|follow|foreground|serve)|\b(?:backup|forget|clear|purge|split|join|restore|encrypt|decrypt|move|prune|pr|logs)\b/.test(
    line,
  );

const steady: readonly [RegExp, string][] = [
  [/\b\d+(?:\.\d+)? ?(?:ms|s|min|MB|kB|KB|GB|B)\b/g, "N unit"],
  [/(127\.0\.0\.1|localhost):\d+/g, "$1:PORT"],
  [/\b(pid|PID)"?:? ?\d+/g, "$1 N"],
  [
    /"(?:token|started_at|at|now|created_at|took|took_ms|score|confidence|probability|rank|bytes|[a-z_]*(?:_ms|_bytes|_seconds|_per_sec))": ?[^,\n}]+/g,
    '"VARIES": N',
  ],
  [/\b20(?!26-03)\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?/g, "TIME"],
  [/\b\d+ (?:seconds?|minutes?) ago\b|\bjust now\b/g, "JUST NOW"],
  [/\b0\.\d{2,}\b/g, "0.N"],
];

const makeSteady = (text: string) =>
  steady.reduce((all, [pattern, instead]) => all.replace(pattern, instead), text.replaceAll(base, "HOME"));

function run(args: readonly string[]): string {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [pm, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    timeout: timeoutMs,
    input: "",
  });
  return makeSteady(`exit ${status ?? signal}\n${stdout}${stderr === "" ? "" : `\n--- stderr\n${stderr}`}`);
}

const isSeen = new Set<string>();
function record(name: string, text: string): void {
  const file = `${name.replace(/[^\w.:~-]+/g, "_").slice(0, 120)}.txt`;
  if (isSeen.has(file)) return;
  isSeen.add(file);
  writeFileSync(join(out, file), text.endsWith("\n") ? text : `${text}\n`);
}

/** The arguments of a command line, with quotation marks as a shell takes them. */
const toArguments = (line: string): string[] =>
  Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain!,
  );

/** The examples in the help of all commands, which docs/cli.md of the build shows. */
function listExamples(): string[] {
  const help = readFileSync(join(dirname(pm), "../docs/cli.md"), "utf8");
  const examples = Array.from(help.matchAll(/\nExamples:\n((?: .*\n)+)/g), ([, lines]) => lines!).join("");
  return Array.from(examples.matchAll(/^ {2}pm (.+?)(?: {2,}.*)?$/gm), ([, line]) => line!);
}

/** Answers of the agents' tools, which are asked one after the other. */
async function askTools(calls: readonly [string, object][]): Promise<void> {
  const server = spawn(process.execPath, [pm, "mcp"], { cwd: root, env, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return "the server ended";
      const message = JSON.parse(value) as {
        id?: number;
        result?: { content?: { text: string }[] };
        error?: unknown;
      };
      if (message.id !== id) continue;
      return (
        message.result?.content?.map(({ text }) => text).join("\n") ??
        JSON.stringify(message.result ?? message.error, null, 2)
      );
    }
  };
  await ask(0, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "golden", version: "1" },
  });
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  record("tools", makeSteady(await ask(1, "tools/list", {})));
  for (const [i, [name, args]] of calls.entries())
    record(
      `tool ${name} ${JSON.stringify(args)}`,
      makeSteady(await ask(i + 2, "tools/call", { name, arguments: args })),
    );
  end(server);
}

/** What an editor shows above lines of a file. */
async function hover(file: string, lines: readonly number[]): Promise<void> {
  const server = spawn(process.execPath, [pm, "lsp"], { cwd: root, env, stdio: ["pipe", "pipe", "ignore"] });
  let read = Buffer.alloc(0);
  const waiting = new Map<number, (result: unknown) => void>();
  server.stdout.on("data", (part: Buffer) => {
    read = Buffer.concat([read, part]);
    for (;;) {
      const head = /Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/.exec(read.toString("latin1"));
      if (head === null) return;
      const [start, length] = [head.index + head[0].length, Number(head[1])];
      if (read.length < start + length) return;
      const message = JSON.parse(read.subarray(start, start + length).toString("utf8")) as {
        id?: number;
        method?: string;
        result?: unknown;
      };
      read = read.subarray(start + length);
      if (message.method === undefined) waiting.get(message.id!)?.(message.result);
      else if (message.id !== undefined) send({ id: message.id, result: null });
    }
  });
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const ask = (id: number, method: string, params: object) =>
    new Promise<unknown>((done) => {
      waiting.set(id, done);
      setTimeout(done, timeoutMs, "no answer").unref();
      send({ id, method, params });
    });
  const uri = pathToFileURL(join(root, file)).href;
  await ask(0, "initialize", { processId: null, rootUri: pathToFileURL(root).href, capabilities: {} });
  send({ method: "initialized", params: {} });
  for (const line of lines) {
    const shown = await ask(line, "textDocument/hover", {
      textDocument: { uri },
      position: { line: line - 1, character: 3 },
    });
    record(`hover ${file}:${line}`, makeSteady(JSON.stringify(shown, null, 2).replaceAll("\\n", "\n")));
  }
  end(server);
}

function end(server: ChildProcess): void {
  server.stdin?.end();
  server.kill();
}

rmSync(base, { recursive: true, force: true });
rmSync(out, { recursive: true, force: true });
mkdirSync(root, { recursive: true });
mkdirSync(out, { recursive: true });
try {
  tellStory({ root, home: base, now: storyDay });
  for (const line of ["setup --all", "checkpoint backfill --all", "daemon start --wait"])
    run(toArguments(line));
  for (const line of readings)
    for (const form of forms) {
      const args = [...toArguments(line), ...(form === "" ? [] : [form])];
      record(`pm ${args.join(" ")}`, run(args));
    }
  for (const line of listExamples()) if (isRunnable(line)) record(`pm ${line}`, run(toArguments(line)));
  await askTools([
    ["code", { query: "retry with backoff" }],
    ["code", { place: "src/http/retry.ts:15" }],
    ["recall", { about: "retry jitter" }],
    ["recall", {}],
    ["why", { place: "src/http/retry.ts:15" }],
    ["why", { place: "src/nowhere.ts:1" }],
    ["search_code", { query: "retry" }],
    ["search_sessions", { query: "retry" }],
    ["get_session", {}],
    ["list_decisions", {}],
    ["list_checkpoints", {}],
    ["rewind_preview", { target: "HEAD~1" }],
    ["related", {}],
    ["related", { files: ["src/http/retry.ts"] }],
    ["commands", { how: "test" }],
    ["commands", { lost: "src/http/retry.ts" }],
    ["nothing", {}],
  ]);
  await hover("src/http/retry.ts", [1, 5, 15, 20]);
} finally {
  run(["stop"]);
  rmSync(base, { recursive: true, force: true });
}
console.log(`${isSeen.size} answers in ${out}`);
process.exit();
