import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { locateDaemonFiles, locateHome } from "../src/base/home.ts";
import { percentile } from "./measure.ts";

const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));

/**
 * The cost of a commit in a repository with Pommel's hooks: the commit itself with them and without, and `pm hook
 * git-post-commit`, which runs in the background, next to bare Node. The variants alternate, so that a slow moment of
 * the machine affects each; each waits until the background is idle. Medians in milliseconds; `ratio` is the median of
 * the pairs' ratios. With and without a warm daemon makes no difference: nothing waits for its answer.
 */
export async function commitCost(rounds = 60) {
  const root = mkdtempSync(join(tmpdir(), "pommel-bench-commit-"));
  const bin = join(root, "bin");
  const repository = join(root, "repository");
  execFileSync("git", ["init", "--quiet", repository]);
  mkdirSync(bin);
  chmodSync(pm, 0o755);
  symlinkSync(pm, join(bin, "pommel"));
  const env = {
    ...process.env,
    // Nothing is to reach the home of whoever measures.
    POMMEL_HOME: join(root, "home"),
    POMMEL_DAEMON_AUTOSTART: "false",
    PATH: bin + delimiter + process.env.PATH,
    GIT_AUTHOR_NAME: "Bench",
    GIT_AUTHOR_EMAIL: "bench@localhost",
    GIT_COMMITTER_NAME: "Bench",
    GIT_COMMITTER_EMAIL: "bench@localhost",
  };
  const time = (command: string, args: readonly string[]) => {
    const start = performance.now();
    const { status } = spawnSync(command, args, { cwd: repository, env, stdio: "ignore" });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
    return performance.now() - start;
  };
  const commit = (...options: string[]) => [...options, "commit", "--quiet", "--allow-empty", "-m", "x"];
  const { spoolDir: spool } = locateDaemonFiles(locateHome(env));
  const spooled = () => (existsSync(spool) ? readdirSync(spool).length : 0);
  try {
    execFileSync(process.execPath, [pm, "-C", repository, "init"], { env, stdio: "ignore" });
    const head = "0123456789abcdef0123456789abcdef01234567";
    const runs: Record<"without" | "with" | "added" | "node" | "hook" | "ratio", number>[] = [];
    for (let round = 0; round <= rounds; round++) {
      const without = time("git", commit("-c", "core.hooksPath=/dev/null"));
      const before = spooled();
      const with_ = time("git", commit());
      const deadline = performance.now() + 10_000;
      while (spooled() === before) {
        if (performance.now() > deadline) throw new Error("the hook that git runs left nothing behind");
        await sleep(5);
      }
      await sleep(30);
      const node = time(process.execPath, ["-e", "0"]);
      const hook = time(process.execPath, [pm, "hook", "git-post-commit", head, "refs/heads/main"]);
      // The first round warms up.
      if (round > 0)
        runs.push({ without, with: with_, node, hook, ratio: hook / node, added: with_ - without });
    }
    const median = (key: keyof (typeof runs)[number]) =>
      percentile(
        runs.map((run) => run[key]),
        50,
      );
    return {
      without: median("without"),
      with: median("with"),
      added: median("added"),
      node: median("node"),
      hook: median("hook"),
      ratio: median("ratio"),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
