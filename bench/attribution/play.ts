import { languages, newFile, newPath } from "./code.ts";
import { commitAll, ensureClean } from "./commits.ts";
import { createWorld } from "./create-world.ts";
import { Director } from "./director.ts";
import { untoldLines } from "./history.ts";
import { pommel } from "./pipeline.ts";
import { random as randomOf } from "./random.ts";
import { type Habits, plainHabits } from "./situations/habits.ts";
import type { Plan } from "./weights.ts";
import { pass, save, type World } from "./world.ts";

export interface PlayOptions {
  seed: number;
  /** An empty directory; what is left there is the caller's to remove. */
  scratch: string;
  plan: Plan;
  habits?: Partial<Habits>;
  steps: number;
}

/** Plays one repository. */
export async function play({ seed, scratch, plan, habits, steps }: PlayOptions): Promise<World> {
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
