import { getOrCreate } from "../../base/multimap.ts";
import type { WrongPath } from "./match.ts";
import type { EditEvent } from "./read-edits.ts";

/** Relative paths that were never there from where the shell was. */
export interface MissingPath {
  trace: WrongPath;
  /** The latest last. */
  events: EditEvent[];
}

/** @param events the earliest first */
export function findMissingPaths(events: readonly EditEvent[]): MissingPath[] {
  const paths = new Map<string, MissingPath & { isThere: boolean }>();
  for (const event of events) {
    const { what } = event;
    if (what.kind !== "path") continue;
    const { directory, first } = what;
    const path = getOrCreate(
      paths,
      JSON.stringify([directory, first]),
      (): MissingPath & { isThere: boolean } => ({
        trace: { kind: "path", directory, first },
        events: [],
        isThere: false,
      }),
    );
    if (what.isThere) path.isThere = true;
    else path.events.push(event);
  }
  return [...paths.values()]
    .filter(({ isThere, events: missed }) => !isThere && missed.length > 0)
    .map(({ trace, events: missed }) => ({ trace, events: missed }));
}
