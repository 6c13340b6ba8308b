/**
 * The agent's door: asks Pommel's tools what tasks need, through `pm mcp` as an agent's client does, and counts the tokens that its
 * model reads; beside what plain tools print for the same.
 *
 *   npm run bench:door -- [--tasks FILE] [--checkouts DIR] [--codegraph PROGRAM] [--shown] [--markdown]
 *
 * FILE is [{name, cwd, calls: [{tool, args}], needs: [text], grep: pattern}]: an answer is enough to begin if it holds all texts that
 * the task needs, which are regular expressions; what they are is for a person to say before the answer is seen. Without FILE, the
 * twenty of bench/door/tasks.json, the twenty of bench/door/new-tasks.json and the twenty of bench/door/past-tasks.json. Their repositories are those of
 * bench/door/repositories.json, which are fetched into DIR (default: the cache of the benchmarks); of one of them also the sessions
 * that it publishes. Beside each task about code the same by git grep and the 60 lines around its best two places, with PROGRAM also
 * by codegraph's `explore`, asked what Pommel is asked; beside one about the past what grep finds in the transcripts.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import * as z from "zod/mini";
import { estimateTokens } from "../src/base/text/text-size.ts";
import { classifyPath } from "../src/code/files/path-role.ts";
import { grepAndRead, grepTranscripts, printedBy } from "./door/plain.ts";
import { printTable, scratchDir } from "./measure.ts";
import { takePublishedTranscripts } from "./published.ts";
import { checkOut, checkoutCache } from "./repositories.ts";

const { values: options } = parseArgs({
  options: {
    tasks: { type: "string" },
    checkouts: { type: "string", default: checkoutCache },
    codegraph: { type: "string" },
    shown: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
const taskShape = z.object({
  name: z.string(),
  cwd: z.string(),
  calls: z.array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })),
  needs: z.array(z.string()),
  grep: z.string(),
});
type Task = z.infer<typeof taskShape>;
const repositoryShape = z.object({
  name: z.string(),
  url: z.string(),
  revision: z.string(),
  /** The commit that holds the transcripts that it publishes. */
  sessions: z.optional(z.string()),
});
const ownFile = (name: string) => fileURLToPath(new URL(`./door/${name}`, import.meta.url));
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const files =
  options.tasks === undefined
    ? ["tasks.json", "new-tasks.json", "past-tasks.json"].map(ownFile)
    : [options.tasks];
const sets = files.map((file) => z.parse(z.array(taskShape), readJson(file)));
const repositories = z.parse(z.array(repositoryShape), readJson(ownFile("repositories.json")));

const work = scratchDir("door");
const home = join(work, "home");
mkdirSync(home);
const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));
const env = {
  ...(process.env as Record<string, string>),
  HOME: home,
  POMMEL_HOME: join(work, "pommel"),
  CLAUDE_PROJECT_DIR: "",
  CLAUDE_CODE_SESSION_ID: "",
};
const runPm = (cwd: string, ...args: string[]) =>
  execFileSync(process.execPath, [pm, ...args], { cwd, env, stdio: ["ignore", "ignore", "inherit"] });

const transcriptsOf = (root: string) => join(home, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));

/** Fetches what tasks are about, and indexes it. */
function prepare(name: string): string {
  const repository = repositories.find((one) => one.name === name);
  if (repository === undefined) throw new Error(`bench/door/repositories.json does not have ${name}`);
  const root = checkOut(resolve(options.checkouts), repository);
  const { sessions, url } = repository;
  if (sessions !== undefined) {
    const git = (...args: string[]) => spawnSync("git", ["-C", root, ...args], { stdio: "ignore" }).status;
    if (git("cat-file", "-e", sessions) !== 0) git("fetch", "--quiet", "--depth", "1", url, sessions);
    takePublishedTranscripts(root, transcriptsOf(root), { revision: sessions, root, withCodex: false });
  }
  runPm(root, "init", "--no-hooks", "--no-start");
  if (sessions !== undefined) runPm(root, "import", "claude", "--yes");
  runPm(root, "daemon", "reindex");
  if (options.codegraph !== undefined && !existsSync(join(root, ".codegraph")))
    execFileSync(options.codegraph, ["init", "--yes"], { cwd: root, stdio: "ignore" });
  return root;
}

async function connect(cwd: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [pm, "mcp"], cwd, env }));
  return client;
}

/** What a client hands to its model of the answers to a task. */
async function askPommel({ calls }: Task, client: Client): Promise<string> {
  const texts: string[] = [];
  for (const { tool, args } of calls) {
    const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
    if (structuredContent !== undefined) throw new Error(`${tool} answers with a structure`);
    texts.push(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  }
  return texts.join("\n");
}

const isAboutCode = ({ calls }: Task) => calls.every(({ tool }) => tool === "code");

/** Ways to what a task needs; null: it cannot do the task. */
const ways: Record<
  string,
  (task: Task, cwd: string, client: Client) => Promise<string | null> | string | null
> = {
  Pommel: (task, _, client) => askPommel(task, client),
  "grep and reading": (task, cwd) =>
    isAboutCode(task)
      ? grepAndRead(task.grep, cwd, { isSource: (file) => classifyPath(file) === "source", windows: 2 })
      : grepTranscripts(task.grep, transcriptsOf(cwd)),
  ...(options.codegraph !== undefined && {
    "codegraph explore": (task: Task, cwd: string) =>
      isAboutCode(task)
        ? printedBy(
            options.codegraph!,
            ["explore", task.calls.flatMap(({ args }) => args.query ?? []).join(" ")],
            cwd,
          )
        : null,
  }),
};
const names = Object.keys(ways);

const lacksOf = (needs: readonly string[], text: string) =>
  needs.filter((need) => !new RegExp(need, "i").test(text));

const open = new Map<string, { root: string; client: Client }>();
for (const [i, tasks] of sets.entries()) {
  const rows: string[][] = [];
  const sums = new Map(names.map((name) => [name, { asked: 0, enough: 0, tokens: 0 }]));
  for (const task of tasks) {
    const known = open.get(task.cwd);
    const root = known?.root ?? prepare(task.cwd);
    const client = known?.client ?? (await connect(root));
    open.set(task.cwd, { root, client });
    const cells: string[] = [];
    for (const name of names) {
      const printed = await ways[name]!(task, root, client);
      if (printed === null) {
        cells.push("-");
        continue;
      }
      const lacks = lacksOf(task.needs, printed);
      const tokens = estimateTokens(printed);
      const sum = sums.get(name)!;
      sum.asked++;
      sum.tokens += tokens;
      if (lacks.length === 0) sum.enough++;
      cells.push(
        `${tokens}${lacks.length === 0 ? "" : `, lacks ${name === "Pommel" ? lacks.join(" ") : lacks.length}`}`,
      );
      if (options.shown) console.log(`\n### ${task.name}, by ${name}\n${printed}`);
    }
    rows.push([task.name, ...cells]);
  }
  console.log(`\n${files[i]}`);
  printTable(["task", ...names.map((name) => `${name}, tokens`)], rows, options);
  for (const [name, { asked, enough, tokens }] of sums)
    if (asked > 0)
      console.log(`${name}: enough in ${enough} of ${asked}; ${Math.round(tokens / asked)} tokens each`);
}
for (const { client } of open.values()) await client.close();
runPm(work, "stop");
