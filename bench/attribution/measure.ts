import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Judged, type JudgedBindings, judge } from "./judge.ts";
import { play } from "./play.ts";
import type { Habits } from "./situations/habits.ts";
import type { Plan } from "./weights.ts";
import type { World } from "./world.ts";

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
