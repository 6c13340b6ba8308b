import { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { removeDirectory } from "../../../test/support/remove-directory.ts";
import { random } from "../../attribution/random.ts";
import { asMarkdown, asText } from "../../search/tables.ts";
import {
  cued,
  foreignInstruction,
  miscounted,
  plantForeign,
  startMock,
  unanswered,
  writeExample,
} from "./mock.ts";
import { type PairedOptions, type Run, runPairs } from "./run.ts";
import { tablesOf } from "./tables.ts";
import { loadTasks } from "./tasks.ts";

const usage = `Whether an agent with Pommel is better off than the same agent without: real tasks, done with and without it.

  npm run bench:agent -- paired --mock                 a scripted model, without a key: proves the counting
  npm run bench:agent -- paired --example --yes        three small tasks with a real model
  npm run bench:agent -- paired --tasks FILE --yes     your own tasks; bench/agent/paired/tasks.ts has the format

A REAL MODEL COSTS MONEY: tasks × rounds × 2 runs of the agent. It needs ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or
CLAUDE_CODE_OAUTH_TOKEN in the environment, and --yes. The agent runs commands on this machine: use a container.

  --rounds N                how often each pair is run (default: 1)
  --seed N                  of the order (default: 1)
  --only LIST               only these tasks
  --claude PATH             the client (default: claude on the PATH)
  --model NAME              the model (default: the client's)
  --max-usd N               the most that a run may cost
  --timeout SECONDS         the longest that a run may take (default: 900)
  --permission-mode MODE    in both arms (default: acceptEdits)
  --allowed-tools LIST      in both arms (default: Bash,Read,Edit,Write,Glob,Grep,Task,mcp__pommel)
  --disallowed-tools LIST   in both arms (default: WebFetch,WebSearch)
  --setting-sources LIST    in both arms (default: user, which is the empty home; "user,project" lets in the
                            repositories' own CLAUDE.md and hooks)
  --block LIST              commands that neither arm finds, as other memories (default: aline,entire,semble)
  --env LIST                more variables for the client, such as those of another provider; treated as credentials
  --keep DIR                keep the runs' homes and clones there, with transcripts; keep them private
  --runs FILE               append every run to it as a line of JSON when it ends, answers included
  --markdown, --json        print tables for Markdown, or every run
`;

/** Variables that may lead the client to a service, and those that let it in. */
const leading = ["ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"];
const credentialNames = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/** Settings of a whole machine, which no option of the client leaves out. */
const managed = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

const optionsOf = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", default: false },
      mock: { type: "boolean", default: false },
      example: { type: "boolean", default: false },
      tasks: { type: "string" },
      yes: { type: "boolean", default: false },
      rounds: { type: "string", default: "1" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      claude: { type: "string", default: "claude" },
      model: { type: "string" },
      "max-usd": { type: "string" },
      timeout: { type: "string", default: "900" },
      "permission-mode": { type: "string", default: "acceptEdits" },
      "allowed-tools": { type: "string", default: "Bash,Read,Edit,Write,Glob,Grep,Task,mcp__pommel" },
      "disallowed-tools": { type: "string", default: "WebFetch,WebSearch" },
      "setting-sources": { type: "string", default: "user" },
      block: { type: "string", default: "aline,entire,semble" },
      env: { type: "string", default: "" },
      keep: { type: "string" },
      runs: { type: "string" },
      markdown: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  }).values;
type Options = ReturnType<typeof optionsOf>;

/** `npm run bench:agent -- paired`. @returns the exit code */
export async function pairedCommand(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if ([options.mock, options.example, options.tasks !== undefined].filter(Boolean).length !== 1)
    return refuse("Name one of --mock, --example and --tasks FILE.");
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pommel-paired-")));
  try {
    return await (options.mock ? runMocked(options, scratch) : runReal(options, scratch));
  } finally {
    removeDirectory(scratch);
  }
}

function refuse(message: string): number {
  console.error(`${message}\nusage: npm run bench:agent -- paired --help`);
  return 2;
}

async function runReal(options: Options, scratch: string): Promise<number> {
  const credentials = given([...credentialNames, ...listed(options.env)]);
  if (Object.keys(credentials).length === 0) return refuse(`Set one of ${credentialNames.join(", ")}.`);
  const found = managed.filter((path) => existsSync(path));
  if (found.length > 0)
    return refuse(`${found.join(", ")}: settings of the whole machine would be in both arms.`);
  const list = loadTasks(options.tasks ?? writeExample(join(scratch, "example")));
  const paired = pairedOptions({ ...options, list, scratch, credentials, env: given(leading) });
  const runs = paired.list.tasks.length * paired.rounds * 2;
  console.error(`${runs} runs of ${options.claude} with a real model, which cost money.`);
  if (!options.yes) return refuse("Add --yes to start them.");
  const code = report(await runPairs(paired), options);
  return paired.signal.aborted ? 130 : code;
}

/** The example with the mock, in a home and a repository with a foreign memory in them. */
async function runMocked(options: Options, scratch: string): Promise<number> {
  const file = writeExample(join(scratch, "example"));
  const home = join(scratch, "home");
  const planted = plantForeign(home, join(dirname(file), "shop"), join(scratch, "planted"));
  const before = process.env.HOME;
  process.env.HOME = home;
  const mock = await startMock();
  try {
    const paired = pairedOptions({
      ...options,
      list: cued(loadTasks(file)),
      scratch,
      credentials: { ANTHROPIC_API_KEY: mockKey },
      env: { ANTHROPIC_BASE_URL: mock.url },
    });
    const runs = await runPairs(paired);
    const isRead = mock.wasGiven(foreignInstruction);
    const problems = [
      ...mock.problems,
      ...miscounted(runs),
      ...unanswered(runs, mock),
      ...planted().map((name) => `the planted ${name} was started`),
      ...(isRead ? ["the planted instructions reached the model"] : []),
      ...(mock.wasGiven(mockKey) ? ["the key reached the model"] : []),
    ];
    for (const problem of problems) console.error(problem);
    if (problems.length === 0) {
      console.error(
        `The mock's ${runs.length} runs were counted as they are scripted, and nothing planted was seen. ` +
          "These figures are the script's.",
      );
    }
    return Math.max(report(runs, options), problems.length > 0 ? 1 : 0);
  } finally {
    if (before === undefined) delete process.env.HOME;
    else process.env.HOME = before;
    await mock.close();
  }
}

/** In the form of a real one, so that scrubbing and redaction treat it as such. */
export const mockKey = `sk-ant-api03-${"mock".repeat(23)}-AAAA`;

interface Asked extends Omit<Options, "env"> {
  list: PairedOptions["list"];
  scratch: string;
  credentials: PairedOptions["credentials"];
  env: Readonly<Record<string, string>>;
}

function pairedOptions(asked: Asked): PairedOptions {
  const only = asked.only === undefined ? null : listed(asked.only);
  const tasks = asked.list.tasks.filter(({ id }) => only === null || only.includes(id));
  const repositories = tasks
    .map(({ repository }) => repository)
    .filter((repository) => existsSync(repository));
  const runs = asked.keep === undefined ? asked.scratch : resolve(asked.keep);
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  return {
    list: { ...asked.list, tasks },
    rounds: numberOf(asked.rounds),
    random: random(numberOf(asked.seed)),
    credentials: asked.credentials,
    client: {
      // It is started in the clones.
      claude: asked.claude.includes("/") ? resolve(asked.claude) : asked.claude,
      model: asked.model ?? null,
      permissionMode: asked["permission-mode"],
      allowedTools: asked["allowed-tools"],
      disallowedTools: asked["disallowed-tools"],
      settingSources: asked["setting-sources"],
      maxUsd: asked["max-usd"] === undefined ? null : numberOf(asked["max-usd"]),
      timeoutMs: 1000 * numberOf(asked.timeout),
    },
    arena: {
      scratch: realpathSync(runs),
      blocked: listed(asked.block),
      credentials: Object.keys(asked.credentials),
      env: asked.env,
      keep: asked.keep !== undefined,
    },
    outside: [
      asked.list.dir,
      ...repositories,
      join(homedir(), ".claude"),
      join(homedir(), ".config", "pommel"),
    ],
    onRun(run) {
      console.error(lineOf(run));
      if (asked.runs !== undefined) appendFileSync(asked.runs, `${JSON.stringify(run)}\n`, { mode: 0o600 });
    },
    signal: interruption(),
  };
}

/** Ctrl-C ends the client, which would go on and cost money; what was done until then is reported. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

function report(runs: readonly Run[], { json, markdown }: Options): number {
  const tables = tablesOf(runs);
  if (json) console.log(JSON.stringify(runs, null, 2));
  else console.log(markdown ? asMarkdown(tables) : asText(tables));
  return runs.some(({ invalid }) => invalid !== null) ? 1 : 0;
}

function lineOf({ task, round, arm, invalid, isSuccess, seconds, counts }: Run): string {
  const ended = invalid === null ? (isSuccess ? "succeeded" : "did not succeed") : "invalid";
  return `${task}, round ${round}, ${arm} Pommel: ${ended}, ${counts.turns} turns, ${seconds.toFixed(1)} s`;
}

const listed = (value: string) => value.split(",").filter((part) => part !== "");

function given(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function numberOf(value: string): number {
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  process.exit(refuse(`"${value}" is no positive number.`));
}
