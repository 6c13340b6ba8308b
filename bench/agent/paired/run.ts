import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Random } from "../../attribution/random.ts";
import { type Arena, type ArenaOptions, layArena } from "./arena.ts";
import { type Account, type Arm, accountOf, arms, type Counts, contaminationIn } from "./counts.ts";
import type { Check, Task, TaskList } from "./tasks.ts";

/** How the client is run, in both arms alike. */
interface ClientOptions {
  claude: string;
  /** The client's own default where it is null. */
  model: string | null;
  permissionMode: string;
  allowedTools: string;
  disallowedTools: string;
  settingSources: string;
  /** Dollars a run; null: no limit. */
  maxUsd: number | null;
  timeoutMs: number;
}

interface Finished {
  stdout: string;
  stderr: string;
  code: number | null;
  isTimedOut: boolean;
  seconds: number;
}

/**
 * Has the client do one task to its end, without a terminal. It reads settings of the sources named only, and starts
 * MCP servers of `servers` only.
 * @param servers a file with `mcpServers`; null: none
 */
function runClient(
  prompt: string,
  options: ClientOptions,
  at: { cwd: string; env: Readonly<Record<string, string>>; servers: string | null; signal: AbortSignal },
): Promise<Finished> {
  const args = [
    "-p",
    prompt,
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-mode",
    options.permissionMode,
    "--allowedTools",
    options.allowedTools,
    "--disallowedTools",
    options.disallowedTools,
    "--setting-sources",
    options.settingSources,
    "--strict-mcp-config",
    ...(at.servers === null ? [] : ["--mcp-config", at.servers]),
    ...(options.model === null ? [] : ["--model", options.model]),
    ...(options.maxUsd === null ? [] : ["--max-budget-usd", String(options.maxUsd)]),
  ];
  return new Promise((resolve, reject) => {
    const start = performance.now();
    // A group of its own, so that nothing that it started outlives it.
    const child = spawn(options.claude, args, {
      cwd: at.cwd,
      env: at.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const endGroup = () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // Nobody is left.
      }
    };
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      endGroup();
    }, options.timeoutMs);
    at.signal.addEventListener("abort", endGroup);
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    }
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      at.signal.removeEventListener("abort", endGroup);
      endGroup();
      resolve({ ...said, code, isTimedOut, seconds: (performance.now() - start) / 1000 });
    });
  });
}

/** One task, done once in one way. */
export interface Run {
  task: string;
  /** From 1. */
  round: number;
  arm: Arm;
  /** Why it cannot be compared; null: it can. A run out of time or money can, and failed. */
  invalid: string | null;
  isSuccess: boolean;
  seconds: number;
  counts: Counts;
  answer: string | null;
  model: string | null;
  client: string | null;
}

export interface PairedOptions {
  list: TaskList;
  rounds: number;
  random: Random;
  client: ClientOptions;
  arena: ArenaOptions;
  /** Credentials by variable. */
  credentials: Readonly<Record<string, string>>;
  /** Paths of the user that no run may use. */
  outside: readonly string[];
  onRun: (run: Run) => void;
  /** Ends the run that is under way, and starts no other. */
  signal: AbortSignal;
}

/** A pair that is to be run, in this order. */
export interface Planned {
  task: Task;
  round: number;
  order: readonly Arm[];
}

/**
 * All pairs in random order. The arms of a pair follow one another, so that both meet the same state of the service;
 * which one is first is drawn for each task so that, over two rounds, each is first once.
 */
export function planOf(tasks: readonly Task[], rounds: number, random: Random): Planned[] {
  const pairs = tasks.flatMap((task) => {
    const first = random.shuffled(arms);
    return Array.from({ length: rounds }, (_, i) => ({
      task,
      round: i + 1,
      order: i % 2 === 0 ? first : first.toReversed(),
    }));
  });
  return random.shuffled(pairs);
}

/** Runs every pair, one run after the other. @returns those that came to an end */
export async function runPairs(options: PairedOptions): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { task, round, order } of planOf(options.list.tasks, options.rounds, options.random)) {
    for (const arm of order) {
      const run = { task: task.id, round, arm, ...(await doTask(task, arm, options)) };
      // What sets up a run and clears it away is synchronous: a signal is noticed here.
      await setImmediate();
      if (options.signal.aborted) return runs;
      runs.push(run);
      options.onRun(run);
    }
  }
  return runs;
}

type Outcome = Omit<Run, "task" | "round" | "arm">;

async function doTask(task: Task, arm: Arm, options: PairedOptions): Promise<Outcome> {
  const secrets = Object.values(options.credentials);
  try {
    const arena = layArena(task, arm, options.arena);
    try {
      const outcome = await doTaskIn(arena, task, arm, options);
      const redacted = (text: string | null) => text && withoutSecrets(text, secrets);
      return { ...outcome, invalid: redacted(outcome.invalid), answer: redacted(outcome.answer) };
    } finally {
      arena.dispose();
    }
  } catch (error) {
    // What the other runs cost is spent; their results stay.
    return { ...nothing, invalid: withoutSecrets(`not run: ${error}`, secrets) };
  }
}

const nothing: Outcome = {
  invalid: null,
  isSuccess: false,
  seconds: 0,
  answer: null,
  model: null,
  client: null,
  counts: accountOf("").counts,
};

async function doTaskIn(arena: Arena, task: Task, arm: Arm, options: PairedOptions): Promise<Outcome> {
  const finished = await runClient(task.prompt, options.client, {
    cwd: arena.repo,
    env: { ...arena.env, ...options.credentials },
    servers: arm === "with" ? join(arena.home, ".claude.json") : null,
    signal: options.signal,
  });
  const account = accountOf(finished.stdout);
  const foreign = contaminationIn(account, arm, options.outside);
  return {
    invalid: foreign.length > 0 ? `contaminated: ${foreign.join(", ")}` : failureOf(account, finished),
    isSuccess: account.end === "answered" && isPassed(task.check, account, arena, options.list.dir),
    seconds: finished.seconds,
    counts: account.counts,
    answer: account.answer,
    model: account.equipment?.model ?? null,
    client: account.equipment?.claude_code_version ?? null,
  };
}

function failureOf({ end, answer, counts }: Account, { isTimedOut, stderr, code }: Finished): string | null {
  if (isTimedOut && counts.turns === 0) return "the model did not answer in time";
  if (isTimedOut || end === "answered" || end === "limited") return null;
  return `failed with ${code}: ${(answer || stderr).slice(-300)}`;
}

function isPassed(check: Check, { answer }: Account, { repo, env }: Arena, tasksDir: string): boolean {
  if ("contains" in check) return answer?.toLowerCase().includes(check.contains.toLowerCase()) ?? false;
  const ran = spawnSync("/bin/sh", ["-c", check.command], {
    cwd: repo,
    env: { ...env, TASKS: tasksDir },
    stdio: "ignore",
    timeout: 600_000,
  });
  return ran.status === 0;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text);
}
