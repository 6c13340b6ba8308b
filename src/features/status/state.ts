import { statSync } from "node:fs";
import type { Project } from "../../base/paths.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { stateResponse } from "./operation.ts";

/** Marks that change when something is written, whoever writes it: of the memory, and of the index of the code. */
export function readWriteMarks({ memoryDb, indexDb }: Project): Shaped<typeof stateResponse> {
  return { memory: computeWriteMark(memoryDb), code: computeWriteMark(indexDb) };
}

/** The files are looked at, not opened: closing one would drop SQLite's locks. */
function computeWriteMark(database: string): string {
  return [database, `${database}-wal`]
    .map((file) => {
      const facts = statSync(file, { throwIfNoEntry: false });
      return facts ? `${Math.round(facts.mtimeMs).toString(36)}.${facts.size.toString(36)}` : "0";
    })
    .join("-");
}
