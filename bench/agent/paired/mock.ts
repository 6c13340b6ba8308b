import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cue, type MockApi, type Script, startMockApi } from "../../../test/real-client/mock-api.ts";
import type { Arm, Counts } from "./counts.ts";
import { commitAll } from "./example.ts";
import type { Run } from "./run.ts";
import type { TaskList } from "./tasks.ts";

/**
 * The example's tasks with a scripted model instead of a real one: it proves that the real client is led, isolated and
 * counted as it should be, and says nothing about what Pommel is worth.
 */

/** What Pommel's tools have to answer, from the past session and the code. */
const answers = { search_sessions: "bans a client for 90", search_code: "src/" } as const;
const useOf = (tool: keyof typeof answers) => `toolu_of_${tool}`;

const bash = (command: string) =>
  ({ type: "tool_use", name: "Bash", input: { command, description: "Run" } }) as const;
const read = (file_path: string) => ({ type: "tool_use", name: "Read", input: { file_path } }) as const;
const pommel = (tool: keyof typeof answers, query: string) =>
  ({ type: "tool_use", name: `mcp__pommel__${tool}`, input: { query }, id: useOf(tool) }) as const;
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
      [pommel("search_sessions", "why the importer stops after three attempts")],
      [say("The supplier's server bans a client for 90 minutes after a fourth attempt.")],
    ],
  },
  place: {
    without: [
      [bash("grep -rln round src")],
      [read("src/billing/rounding.mjs"), read("src/billing/cash.mjs"), read("src/reports/sales.mjs")],
      [say("It is in src/billing/cash.mjs.")],
    ],
    with: [
      [pommel("search_code", "amount that can be paid with coins")],
      [say("It is in src/billing/cash.mjs.")],
    ],
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
      [pommel("search_code", "voucher subtracted from a cart paid in parts")],
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
