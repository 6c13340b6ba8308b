import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { locateHome } from "../../src/base/home.ts";
import { findSigningKey, locateKeyFile } from "../../src/sync/origin/signing-key.ts";
import { nameProject } from "../support/named-project.ts";
import { fresh, prepare } from "./interruptions.ts";
import { git, pmFile, runStep } from "./processes.ts";
import { base, enter, envOf, points, putInPlace, report, work } from "./setting.ts";
import { contentOf } from "./stored.ts";

/** Another machine has shared before: sessions of its own, and some that went on there. */
export async function killSync(): Promise<void> {
  await prepare("imported");
  const { root } = fresh("imported");
  git(work, "init", "--quiet", "--bare", "at/remote.git");
  const share = (from: string) => {
    git(from, "init", "--quiet");
    git(from, "add", "-A");
    git(from, "commit", "--quiet", "-m", "First");
    git(from, "remote", "add", "origin", join(work, "at/remote.git"));
  };
  share(root);
  git(root, "push", "--quiet", "origin", "HEAD");
  const { root: other } = base("other", { first: 20, end: 50, turns: 14 });
  await runStep("import", other);
  share(other);
  spawnSync(process.execPath, [pmFile, "sync", "--yes"], { cwd: other, env: envOf(other) });
  enter(root);
  // What it signs is the same in each round.
  await findSigningKey(root, { file: locateKeyFile(locateHome().configDir), make: true });
  putInPlace("at", "unshared");
  const again = () => {
    putInPlace("unshared", "at");
    // The copy of a git repository is another one, but not here.
    nameProject(enter(root));
  };
  const sync = async (killAfterMs?: number) => {
    const child = spawn(process.execPath, [pmFile, "sync", "--yes"], {
      cwd: root,
      env: envOf(root),
      stdio: "ignore",
    });
    const timer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    await once(child, "close");
    clearTimeout(timer);
    return child.signalCode === null;
  };
  const tree = () => git(join(work, "at/remote.git"), "rev-parse", "pommel/memory/v1^{tree}");
  const outcome = () => `${tree()} ${contentOf(enter(root).memoryDb)}`;
  again();
  const started = performance.now();
  await sync();
  const tookMs = performance.now() - started;
  const expected = outcome();
  let [same, ended] = [0, 0];
  for (let i = 0; i < points; i++) {
    again();
    if (!(await sync(Math.random() * tookMs))) ended++;
    await sync();
    if (outcome() === expected) same++;
  }
  report("kill -9: sync", points, same, `${ended} before its end; same tree on the remote, and same memory`);
}
