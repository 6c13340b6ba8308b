import { sessionVectorIds, sessionVectorsAfter } from "../../store/memory/chunks/vectors.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { PassageSource } from "./passage-index.ts";

/** The passages of the chunks in a memory. */
export function passagesIn(memory: Memory): PassageSource {
  return {
    version: () => memory.version(),
    passagesAfter: (model, id) => sessionVectorsAfter(memory, model, id),
    passageIds: (model) => sessionVectorIds(memory, model),
  };
}
