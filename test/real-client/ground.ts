import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { statTranscript } from "../../src/agents/registry.ts";
import { type Home, locateDaemonFiles, locateHome } from "../../src/base/home.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { pmFile, runPm, temporaryDir } from "../e2e/run-pm.ts";
import { removeDirectory } from "../support/remove-directory.ts";

type DaemonFiles = ReturnType<typeof locateDaemonFiles>;

/** The setup of every client: a home, a repository, and a `pm` that records which hooks it ran. */
export interface Ground {
  home: string;
  repo: string;
  project: Project;
  /** Where Pommel keeps what it stores, and the files of its daemon. */
  kept: Home;
  daemon: DaemonFiles;
  /** All of the client's environment but what leads it to its mock. */
  env: Readonly<Record<string, string>>;
  /** Runs `pm ... --json`; it must succeed. */
  pm: <T>(...args: string[]) => Promise<T>;
  /** Every hook of ours that ran: its name and its exit code. */
  hooksRun: () => { hook: string; code: string }[];
  /** The stderr of our hooks. */
  hooksSaid: () => string;
  /** Waits until all of these files, which the client writes, is remembered. */
  settled: (files: () => string[]) => Promise<void>;
  /** Ends the daemon, and removes everything. */
  clear: () => Promise<void>;
}

/** `runPm` adds to the environment of the tests, which names another home. */
const unset = { XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_STATE_HOME: "", XDG_CACHE_HOME: "" };

/** @param files of the repository, besides its source */
export function layGround(name: string, files: Readonly<Record<string, string>>): Ground {
  const root = realpathSync(temporaryDir(`pommel-${name}-`));
  const [home, repo, tools] = ["home", "repo", "bin"].map((dir) => join(root, dir)) as [
    string,
    string,
    string,
  ];
  for (const dir of [home, repo, tools]) mkdirSync(dir);
  const log = join(root, "hooks.log");
  const errors = join(root, "hooks.err");
  for (const name of ["pm", "pommel"]) writePm(join(tools, name), { log, errors });
  const env = {
    HOME: home,
    PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter),
    TMPDIR: home,
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    GIT_CONFIG_NOSYSTEM: "1",
    // It runs where a test starts it.
    POMMEL_DAEMON_AUTOSTART: "false",
  };
  writeRepository(repo, env, files);
  const kept = locateHome(env);
  const daemon = locateDaemonFiles(kept);
  const project = makeNewProject(repo, kept);
  const options = { cwd: repo, env: { ...env, ...unset } };
  return {
    home,
    repo,
    project,
    kept,
    daemon,
    env,
    async pm<T>(...args: string[]) {
      const { code, stdout, stderr } = await runPm([...args, "--json"], options);
      // 5: nothing was found, which is an answer.
      if (code !== 0 && code !== 5)
        throw new Error(`pm ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as T;
    },
    hooksRun: () =>
      textOf(log)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => ({ hook: line.split(" ")[0]!, code: line.split(" ")[1]! })),
    hooksSaid: () => textOf(errors),
    async settled(written) {
      // Not until the queue is empty: a summary waits for a minute without news.
      for (let calm = 0; calm < 3; await sleep(200)) {
        const isRead = written().every((file) => bytesRead(project, file) === statTranscript(file)?.size);
        calm = isRead && spooled(daemon).length === 0 ? calm + 1 : 0;
      }
    },
    async clear() {
      await runPm(["stop"], options);
      removeDirectory(root);
    },
  };
}

/** Runs the built `pm`, and writes down which hooks it ran and how they ended. */
function writePm(file: string, { log, errors }: { log: string; errors: string }): void {
  const pm = `"${process.execPath}" "${pmFile}" "$@"`;
  writeFileSync(
    file,
    `#!/bin/sh\n[ "$1" = hook ] || exec ${pm}\n${pm} 2>> "${errors}"\ncode=$?\n[ "$2" != --agent ] || shift 2\necho "$2 $code" >> "${log}"\nexit $code\n`,
  );
  chmodSync(file, 0o755);
}

function writeRepository(
  repo: string,
  env: NodeJS.ProcessEnv,
  files: Readonly<Record<string, string>>,
): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, env });
  // Not a default branch: on one of those nothing is said of the last session.
  git("init", "--quiet", "--initial-branch=importer");
  git("config", "user.email", "test@example.invalid");
  git("config", "user.name", "Test");
  const source = { "src/heron.ts": "export const attempts = 1;\nexport const limit = 7;\n" };
  for (const [name, text] of Object.entries({ ...source, ...files })) {
    mkdirSync(dirname(join(repo, name)), { recursive: true });
    writeFileSync(join(repo, name), text);
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
}

/** How much of a transcript was read; -1 for nothing at all. Bytes. */
function bytesRead(project: Project, file: string): number {
  if (!existsSync(project.memoryDb)) return -1;
  const memory = new Sqlite(project.memoryDb, { mode: "read", timeoutMs: 0 });
  try {
    const row = memory.prepare("SELECT offset FROM transcripts WHERE path = ?").get(file);
    return (row as { offset: number } | undefined)?.offset ?? -1;
  } finally {
    memory.close();
  }
}

/** The names of what lies in the spool. */
export function spooled({ spoolDir }: DaemonFiles): string[] {
  if (!existsSync(spoolDir)) return [];
  return readdirSync(spoolDir).filter((name) => name.endsWith(".json"));
}

export function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** The files of JSON lines below a directory, which may not be there. */
export function logsBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(dir, file));
}

/** What the daemon wrote into its log. */
export const logOf = ({ logDir }: DaemonFiles): string => readFileSync(join(logDir, "pommeld.log"), "utf8");
