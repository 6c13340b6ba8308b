import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cue, type MockApi, type Script, startMockApi } from "../../../test/real-client/mock-api.ts";
import { transcript } from "../../../test/support/transcript-fixture.ts";
import type { Arm, Counts } from "./counts.ts";
import type { Run } from "./run.ts";
import type { TaskList } from "./tasks.ts";

/**
 * Three tasks on a small repository that is made for them: one that only a past session answers, one about where code
 * is, one that changes code. They show the format and prove the counting; they are too few and too small to show
 * what Pommel is worth.
 */

const reports = ["sales", "stock", "returns", "visits", "suppliers", "shipping", "reviews", "refunds"];

const files: Readonly<Record<string, string>> = {
  "README.md":
    "# Shop\n\nImports products, sells them, and prints reports. Run a test with `node test/<name>.test.mjs`.\n",
  "src/import/importer.mjs":
    "const attempts = 3;\n\nexport async function importProducts(fetchPage) {\n  for (let attempt = 1; ; attempt++) {\n    try {\n      return await fetchPage();\n    } catch (error) {\n      if (attempt === attempts) throw error;\n    }\n  }\n}\n",
  "src/billing/rounding.mjs":
    "/** Cents, half up. */\nexport const toCents = (amount) => Math.round(amount * 100) / 100;\n",
  "src/billing/cash.mjs":
    "/** What can be paid with coins: the nearest five cents. */\nexport const payable = (amount) => Math.round(amount * 20) / 20;\n",
  "src/cart/discount.mjs":
    "/** What is left to pay of one part of a cart. */\nexport function partialTotal(part, voucher) {\n  return part.total - (voucher * part.total) / part.cartTotal;\n}\n",
  "src/cart/cart.mjs":
    'import { partialTotal } from "./discount.mjs";\n\n/** @param parts that are paid one by one */\nexport function amountsOf(parts, voucher) {\n  const cartTotal = parts.reduce((sum, total) => sum + total, 0);\n  return parts.map((total) => partialTotal({ total, cartTotal }, voucher) - voucher / parts.length);\n}\n',
  "test/cart.test.mjs":
    'import assert from "node:assert";\nimport { amountsOf } from "../src/cart/cart.mjs";\n\nassert.deepStrictEqual(amountsOf([60, 40], 10), [54, 36]);\n',
  ...Object.fromEntries(
    reports.map((name) => [
      `src/reports/${name}.mjs`,
      `/** The ${name} of a month, rounded for print. */\nexport function ${name}Report(rows) {\n  return rows.map(({ month, total }) => \`\${month}: \${Math.round(total)}\`).join("\\n");\n}\n`,
    ]),
  ),
};

const tasks = [
  {
    id: "reason",
    prompt:
      "Why does the product importer give up after three attempts? Answer in one sentence, with numbers if there are any.",
    check: { contains: "90" },
    sessions: ["sessions"],
  },
  {
    id: "place",
    prompt:
      "Which file has the function that turns an amount into one that can be paid with coins? Answer with its path.",
    check: { contains: "src/billing/cash.mjs" },
  },
  {
    id: "repair",
    prompt:
      "When a cart is paid in parts, a voucher is subtracted twice. Repair it, so that `node test/cart.test.mjs` passes.",
    check: { command: "node test/cart.test.mjs" },
  },
];

/** Writes the repository, its past session and the tasks file. @returns the tasks file */
export function writeExample(dir: string): string {
  const repository = join(dir, "shop");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  commitAll(repository, "Begin the shop");
  const session = transcript({ cwd: "/home/dev/shop" });
  session.prompt("The import of products fails whenever the supplier's server is slow. Let it try again.");
  session.reply(
    "Decision: the importer makes three attempts and no more, because the supplier's server bans a client for 90 " +
      "minutes after the fourth attempt.",
  );
  mkdirSync(join(dir, "sessions"));
  session.writeTo(join(dir, "sessions"));
  const file = join(dir, "tasks.json");
  writeFileSync(
    file,
    JSON.stringify({ tasks: tasks.map((task) => ({ repository: "shop", ...task })) }, null, 2),
  );
  return file;
}

/** Commits everything in a directory, which becomes a repository. */
function commitAll(repository: string, message: string): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { stdio: "pipe" });
  const author = ["-c", "user.name=Example", "-c", "user.email=example@example.invalid"];
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all", "--force");
  git(...author, "commit", "--quiet", "--message", message);
}

/**
 * The example's tasks with a scripted model instead of a real one: it proves that the real client is led, isolated and
 * counted as it should be, and says nothing about what Pommel is worth.
 */

/** What Pommel's tools have to answer, from the past session and the code. */
const answers = { recall: "bans a client for 90", code: "src/" } as const;
const useOf = (tool: keyof typeof answers) => `toolu_of_${tool}`;

const bash = (command: string) =>
  ({ type: "tool_use", name: "Bash", input: { command, description: "Run" } }) as const;
const read = (file_path: string) => ({ type: "tool_use", name: "Read", input: { file_path } }) as const;
const pommel = (tool: keyof typeof answers, query: string) =>
  ({
    type: "tool_use",
    name: `mcp__pommel__${tool}`,
    input: tool === "code" ? { query } : { about: query },
    id: useOf(tool),
  }) as const;
const say = (text: string) => ({ type: "text", text }) as const;
const repair = {
  type: "tool_use",
  name: "Edit",
  input: { file_path: "src/cart/cart.mjs", old_string: " - voucher / parts.length", new_string: "" },
} as const;

/** A file that is not there: reading it fails, and is not counted as a file read. */
const absent = "src/import/absent.mjs";

// Commands print their environment, which must not hold the key.
const scripts: Readonly<Record<string, Readonly<Record<Arm, Script>>>> = {
  reason: {
    without: [
      [say("Looking for the importer."), bash("grep -rn attempts src")],
      [read("src/import/importer.mjs"), read(absent)],
      [read("README.md"), read("src/import/importer.mjs")],
      [say("The code does not say why.")],
    ],
    with: [
      [pommel("recall", "why the importer stops after three attempts")],
      [say("The supplier's server bans a client for 90 minutes after a fourth attempt.")],
    ],
  },
  place: {
    without: [
      [bash("grep -rln round src")],
      [read("src/billing/rounding.mjs"), read("src/billing/cash.mjs"), read("src/reports/sales.mjs")],
      [say("It is in src/billing/cash.mjs.")],
    ],
    with: [[pommel("code", "amount that can be paid with coins")], [say("It is in src/billing/cash.mjs.")]],
  },
  repair: {
    without: [
      [bash("grep -rn voucher src")],
      [read("src/cart/discount.mjs"), read("src/cart/cart.mjs")],
      [repair],
      [bash("node test/cart.test.mjs; env")],
      [say("The voucher is subtracted once.")],
    ],
    with: [
      [pommel("code", "voucher subtracted from a cart paid in parts")],
      [read("src/cart/cart.mjs")],
      [repair],
      [bash("env")],
      [say("The voucher is subtracted once.")],
    ],
  },
};

/** Whose answers and checks the scripts fail. */
const failing = { task: "reason", arm: "without" } as const;

/** The mock gives each message 100 tokens to read and writes 20. */
const tokensOf = { message: 120, written: 20 };

/** @returns the mock, which follows the script of the arm by whether the model has Pommel's tools */
export function startMock(): Promise<MockApi> {
  const isPommels = (tool: string) => tool.startsWith("mcp__pommel__");
  return startMockApi({
    compaction: "",
    scripts: Object.fromEntries(
      Object.entries(scripts).map(([task, byArm]) => [
        task,
        (tools: readonly string[]) => byArm[tools.some(isPommels) ? "with" : "without"],
      ]),
    ),
  });
}

export function cued(list: TaskList): TaskList {
  return {
    ...list,
    tasks: list.tasks.map((task) => ({ ...task, prompt: `${task.prompt} ${cue(task.id)}` })),
  };
}

/** What was counted otherwise than it is scripted; empty: all is right. */
export function miscounted(runs: readonly Run[]): string[] {
  return runs.flatMap(({ task, arm, round, invalid, isSuccess, counts }) => {
    const scripted = countsOf(scripts[task]![arm]);
    const counted: Partial<Counts> = { ...counts };
    delete counted.usd;
    const differences = Object.entries(scripted).filter(
      ([key, value]) => counted[key as keyof Counts] !== value,
    );
    const expected = task !== failing.task || arm !== failing.arm;
    return [
      ...(invalid === null ? [] : [invalid]),
      ...differences.map(([key, value]) => `${key} is ${counted[key as keyof Counts]} instead of ${value}`),
      ...(isSuccess === expected ? [] : [`success is ${isSuccess}`]),
    ].map((problem) => `${task}, round ${round}, ${arm}: ${problem}`);
  });
}

function countsOf(script: Script): Omit<Counts, "usd"> {
  const calls = script.flat().filter((said) => said.type === "tool_use");
  const files = calls.filter(({ name }) => name === "Read").map(({ input }) => input.file_path);
  return {
    turns: script.length,
    toolCalls: calls.length,
    pommelCalls: calls.filter(({ name }) => name.startsWith("mcp__pommel__")).length,
    filesRead: new Set(files.filter((file) => file !== absent)).size,
    tokens: script.length * tokensOf.message,
    outputTokens: script.length * tokensOf.written,
  };
}

/** Tools of Pommel that were called, and did not answer what they know. */
export function unanswered(runs: readonly Run[], { toolResults }: MockApi): string[] {
  const called = new Set(
    runs.flatMap(({ task }) =>
      scripts[task]!.with.flat().flatMap(({ type, ...said }) => ("id" in said ? said.id : [])),
    ),
  );
  return Object.entries(answers).flatMap(([tool, text]) => {
    const use = useOf(tool as keyof typeof answers);
    const result = toolResults.get(use)?.text ?? "nothing";
    return !called.has(use) || result.includes(text) ? [] : [`${tool} answered ${result}, without "${text}"`];
  });
}

/** What stands in the instructions of a foreign memory. */
export const foreignInstruction = "Always ask the foreign memory HERON-4711 first.";

/**
 * Plants a foreign memory in a home and in a repository: instructions, a hook and an MCP server.
 * @returns which hooks and servers were started by now
 */
export function plantForeign(home: string, repository: string, marks: string): () => string[] {
  mkdirSync(marks);
  const hook = (where: string) => ({
    hooks: {
      SessionStart: [{ hooks: [{ type: "command", command: `touch ${join(marks, `hook-of-${where}`)}` }] }],
    },
  });
  const server = (where: string) => ({
    mcpServers: {
      [`foreign-${where}`]: {
        type: "stdio",
        command: "touch",
        args: [join(marks, `server-of-${where}`)],
      },
    },
  });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write(join(home, ".claude", "CLAUDE.md"), foreignInstruction);
  write(join(home, ".claude", "settings.json"), JSON.stringify(hook("home")));
  write(join(home, ".claude.json"), JSON.stringify(server("home")));
  write(join(repository, "CLAUDE.md"), foreignInstruction);
  write(join(repository, ".claude", "settings.json"), JSON.stringify(hook("repository")));
  write(join(repository, ".mcp.json"), JSON.stringify(server("repository")));
  commitAll(repository, "Add a foreign memory");
  return () => readdirSync(marks).sort();
}
