import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { History } from "./history.ts";
import type { Random } from "./random.ts";
import type { Habits } from "./situations/habits.ts";
import { type Checkout, git, type LineEnds, pass, type World } from "./world.ts";

/** An empty repository, with hooks that record git's events. */
export function createWorld(random: Random, scratch: string, ends: LineEnds, habits: Habits): World {
  const dir = join(scratch, "shop");
  const hooks = join(scratch, "hooks");
  mkdirSync(dir, { recursive: true });
  mkdirSync(hooks);
  const main: Checkout = { dir, files: new Map(), mtimes: new Map(), isWatched: true };
  const world: World = {
    random,
    now: Date.parse("2026-03-02T08:00:00.000Z"),
    scratch,
    ends,
    habits,
    main,
    sessions: [],
    history: new History(),
    keepers: [],
    downUntil: 0,
    duringHooks: (_, seconds) => pass(world, ...seconds),
    removers: new Map(),
    removed: [],
    story: [],
  };
  git(world, main, ["init", "-q", "-b", "main"]);
  git(world, main, ["config", "core.hooksPath", hooks]);
  git(world, main, ["config", "core.autocrlf", String(ends === "autocrlf")]);
  git(world, main, ["config", "core.safecrlf", "false"]);
  git(world, main, ["config", "user.name", "Dev"]);
  git(world, main, ["config", "user.email", "dev@example.com"]);
  const spool = join(scratch, "spool");
  const hook = (name: string, body: string) =>
    writeFileSync(join(hooks, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  hook("post-commit", `echo "commit $(git rev-parse HEAD)" >> '${spool}'`);
  hook("post-rewrite", `while read old new rest; do echo "rewrite $old $new" >> '${spool}'; done`);
  return world;
}
