import type { AttributionBasis } from "../../src/protocol/values.ts";
import type { AttributionRecord, Binding, CommitSeen } from "../../src/store/memory/memory-records.ts";
import type { Checkout, World } from "./world.ts";

/** Who remembers what happens in a world, and is asked afterwards. */
export interface Keeper {
  name: string;
  /** Something may have been saved there. */
  look(checkout: Checkout): void;
  takeIn(
    world: World,
    hash: string,
    how: { seen: CommitSeen; branch: string | null; rewrittenFrom: string[] },
  ): Promise<void>;
  /** The simulation is over. */
  finish(world: World): Promise<void>;
  rangesOf(hash: string): AttributionRecord[];
  /** Whether unknown lines of a commit are said to be from before agents, as `pm blame` says it. */
  isBeforeAgents(hash: string, basis: AttributionBasis | null): boolean;
  bindingsOf(hash: string): Binding[] | null;
  /** Milliseconds that taking in each commit took. */
  times: number[];
  close(): void;
}
