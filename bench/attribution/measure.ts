import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { languages, newFile, newPath } from "./code.ts";
import { commitAll, ensureClean } from "./commits.ts";
import { Director } from "./director.ts";
import { History, untoldLines } from "./history.ts";
import { type Judged, type JudgedBindings, judge } from "./judge.ts";
import { pommel } from "./pipeline.ts";
import { type Random, random as randomOf } from "./random.ts";
import { type Habits, plainHabits } from "./situations/habits.ts";
import type { Plan } from "./weights.ts";
import { type Checkout, git, type LineEnds, pass, save, type World } from "./world.ts";

/** An empty repository, with hooks that record git's events. */
function createWorld(random: Random, scratch: string, ends: LineEnds, habits: Habits): World {
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

interface PlayOptions {
  seed: number;
  /** An empty directory; what is left there is the caller's to remove. */
  scratch: string;
  plan: Plan;
  habits?: Partial<Habits>;
  steps: number;
}

/** Plays one repository. */
async function play({ seed, scratch, plan, habits, steps }: PlayOptions): Promise<World> {
  const random = randomOf(seed);
  const ends = random.weighted([
    ["lf", 8],
    ["autocrlf", 1],
    ["crlf", 1],
  ] as const);
  const world = createWorld(random, scratch, ends, { ...plainHabits, ...habits });
  await beforePommel(world);
  world.keepers = [pommel(world, { isLive: true }), pommel(world, { isLive: false })];
  for (const hash of world.history.commits.keys()) {
    for (const keeper of world.keepers) {
      await keeper.takeIn(world, hash, { seen: "history", branch: null, rewrittenFrom: [] });
    }
  }
  const director = new Director(world, plan);
  for (let i = 0; i < steps; i++) await director.step();
  await ensureClean(world, world.main);
  for (const keeper of world.keepers) await keeper.finish(world);
  return world;
}

/** Work from before Pommel was installed. */
async function beforePommel(world: World): Promise<void> {
  const { random, main } = world;
  for (let commit = random.int(1, 3); commit > 0; commit--) {
    for (let file = random.int(2, 4); file > 0; file--) {
      const language = random.pick(languages);
      const lines = untoldLines(newFile(random, language, random.int(2, 5)));
      save(world, main, newPath(random, language), lines, { by: "nobody" });
    }
    await commitAll(world, main, { how: ["before"] });
    pass(world, 3600, 40_000);
  }
}

/** Weights are chosen on one half of the repositories, and confirmed on the other. */
type Half = "choose" | "confirm";

const halfOf = (seed: number): Half => (seed % 2 === 1 ? "choose" : "confirm");

export interface MeasuredRepository {
  /** What it was made to show; null: of everything some. */
  situation: string | null;
  seed: number;
  half: Half;
  /** By keeper: "live" watched everything, "imported" read it afterwards. */
  by: Record<string, { lines: Judged[]; bindings: JudgedBindings[]; times: number[] }>;
  story: string[];
}

/** Simulates one repository and judges its attribution. */
export async function measure(
  seed: number,
  { plan, habits = {}, steps }: { plan: Plan; habits?: Partial<Habits>; steps: number },
): Promise<MeasuredRepository> {
  const scratch = mkdtempSync(join(tmpdir(), "pommel-attribution-"));
  let world: World | null = null;
  try {
    world = await play({ seed, scratch, plan, habits, steps });
    const by: MeasuredRepository["by"] = {};
    for (const keeper of world.keepers) {
      by[keeper.name] = { ...judge(world, keeper), times: keeper.times };
    }
    return { situation: null, seed, half: halfOf(seed), by, story: world.story };
  } finally {
    for (const keeper of world?.keepers ?? []) keeper.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}
