import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { idOf, transcript } from "../../test/support/transcript-fixture.ts";

/** Automatic context on a busy machine: how many of the hooks that could tell something do, and how long they take. */

export interface BusyContextOptions {
  /** `bin/pm.cjs` of the program that is measured. */
  pm: string;
  /** Busy loops beside it. */
  loops: number;
  /** Hooks of each kind, and how many run at once. */
  runs: number;
  atOnce: readonly number[];
  /** Called with each result as it is there. */
  onResult?: (result: BusyContext) => void;
}

export interface BusyContext {
  moment: "start" | "compaction" | "edit";
  atOnce: number;
  runs: number;
  /** Hooks that ended before their client gives up, with something told. */
  told: number;
  timesMs: number[];
}

/** What set-up gives the client as the time that a hook may take. Milliseconds. */
const clientMs = 10_000;
/** No busy loop lives longer, whatever happens to who started it. Milliseconds. */
const loopMs = 60_000;

/** Measures in a home of its own, with a small repository and sessions that decided something. */
export async function measureContext(options: BusyContextOptions): Promise<BusyContext[]> {
  const home = mkdtempSync(join(tmpdir(), "pommel-busy-context-"));
  const env = {
    ...process.env,
    HOME: home,
    POMMEL_HOME: join(home, "pommel"),
    CLAUDE_CONFIG_DIR: "",
    CI: "",
  };
  const pm = (...args: string[]) =>
    execFileSync(process.execPath, [options.pm, "-C", root, ...args], { env, encoding: "utf8" });
  const root = join(home, "shop");
  try {
    const sessions = writePast(home, root);
    pm("setup", "--all", "--yes");
    pm("start", "--wait");
    pm("import", "claude", "--yes");
    const hook = (moment: BusyContext["moment"]) => runHook({ ...options, env, root, sessions, moment });
    // What was imported is told of from now on.
    for (let tries = 0; tries < 60 && !(await hook("start")).isTold; tries++) await sleep(500);
    const results: BusyContext[] = [];
    for (const moment of ["start", "compaction", "edit"] as const) {
      for (const atOnce of moment === "start" ? options.atOnce : [1]) {
        const result = await measure({ ...options, atOnce }, moment, () => hook(moment));
        options.onResult?.(result);
        results.push(result);
      }
    }
    return results;
  } finally {
    try {
      pm("daemon", "stop");
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
}

/** @returns ids of sessions that are at work */
function writePast(home: string, root: string): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=Ann", "-c", "user.email=ann@shop.test", ...args]);
  mkdirSync(join(root, "src"), { recursive: true });
  git("init", "--quiet", "--initial-branch=retries");
  writeFileSync(join(root, "src", "import.ts"), "export const attempts = 3;\n");
  git("add", "--all");
  git("commit", "--quiet", "-m", "Begin");
  return Array.from({ length: 4 }, (_, i) => {
    const start = new Date(Date.now() - (i + 1) * 300_000).toISOString();
    const one = transcript({ session: idOf(`busy ${i}`), cwd: root, branch: "retries", start });
    one.prompt(`Note to Pommel: releases ${i} are cut on Fridays`);
    one.prompt(`Let's have importer${i} retry three times instead of once, because the ledger${i} is slow.`);
    one.edit(join(root, "src", "import.ts"), "attempts = 1", "attempts = 3");
    one.reply("It retries three times now.");
    const path = join(
      home,
      ".claude",
      "projects",
      root.replace(/[^A-Za-z0-9]/g, "-"),
      `${one.session}.jsonl`,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, one.text());
    return one.session;
  });
}

async function measure(
  { loops, runs, atOnce }: Pick<BusyContextOptions, "loops" | "runs"> & { atOnce: number },
  moment: BusyContext["moment"],
  hook: () => Promise<{ ms: number; isTold: boolean }>,
): Promise<BusyContext> {
  const busy = Array.from({ length: loops }, startLoop);
  const until = performance.now() + loopMs;
  const done: { ms: number; isTold: boolean }[] = [];
  try {
    // The loops get their share of the processors first.
    await sleep(500);
    while (done.length < runs && performance.now() < until) {
      const batch = Array.from({ length: Math.min(atOnce, runs - done.length) }, hook);
      done.push(...(await Promise.all(batch)));
    }
  } finally {
    for (const loop of busy) loop.kill("SIGKILL");
  }
  return {
    moment,
    atOnce,
    runs: done.length,
    told: done.filter(({ isTold }) => isTold).length,
    timesMs: done.map(({ ms }) => ms),
  };
}

const startLoop = (): ChildProcess =>
  spawn(process.execPath, ["-e", `for (const end = Date.now() + ${loopMs}; Date.now() < end; );`], {
    stdio: "ignore",
  });

interface HookOptions {
  pm: string;
  env: NodeJS.ProcessEnv;
  root: string;
  sessions: readonly string[];
  moment: BusyContext["moment"];
}

/** Each compaction is of a session that is at work; starts and edits are of sessions that are new. */
function runHook({ pm, env, root, sessions, moment }: HookOptions): Promise<{ ms: number; isTold: boolean }> {
  const compacted = sessions[Math.floor(Math.random() * sessions.length)];
  const [name, event, more] = {
    start: ["session-start", "SessionStart", { source: "startup" }] as const,
    compaction: ["session-start", "SessionStart", { source: "compact", session_id: compacted }] as const,
    edit: [
      "post-tool-use",
      "PostToolUse",
      { tool_name: "Edit", tool_input: { file_path: join(root, "src", "import.ts") } },
    ] as const,
  }[moment];
  const session_id = randomUUID();
  const transcript_path = join(root, `${session_id}.jsonl`);
  const payload = { session_id, transcript_path, cwd: root, hook_event_name: event, ...more };
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let said = "";
    const child = spawn(process.execPath, [pm, "hook", name], {
      cwd: root,
      env: { ...env, CLAUDE_PROJECT_DIR: "" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.on("error", reject);
    child.stdout.on("data", (text) => {
      said += text;
    });
    child.on("close", () => {
      const ms = performance.now() - start;
      resolve({ ms, isTold: ms < clientMs && said.includes("additionalContext") });
    });
    child.stdin.end(JSON.stringify(payload));
  });
}
