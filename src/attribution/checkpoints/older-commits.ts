import type { Memory } from "../../store/memory/memory.ts";

export const areOlderAnalysed = (memory: Memory): boolean => memory.readMeta(analysed) !== null;

/** Of `meta`: they were analysed. */
export const analysed = "checkpoints.older";
