// As in memory-records.ts and search/sessions/types.ts, which a search of code has no need to load.
export const chunkTypes = ["raw", "summary", "annotated"] as const;
export const chunkKinds = ["decision", "code-change", "error-fix", "architecture", "conversation"] as const;
export const searchModes = ["hybrid", "fts", "regex", "semantic"] as const;
