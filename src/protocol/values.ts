/** The values that a field of a question or an answer may have. */

export const chunkTypes = ["raw", "summary", "annotated"] as const;
export type ChunkType = (typeof chunkTypes)[number];

export const chunkKinds = ["decision", "code-change", "error-fix", "architecture", "conversation"] as const;
export type ChunkKind = (typeof chunkKinds)[number];

export const searchModes = ["hybrid", "fts", "regex", "semantic"] as const;
/** hybrid: words and meaning; fts: words alone; semantic: meaning alone; regex: a pattern over what was said. */
export type SearchMode = (typeof searchModes)[number];

/** When an agent can be given context without asking. */
export const contextEvents = ["session-start", "user-prompt", "post-tool-use"] as const;
export type ContextEvent = (typeof contextEvents)[number];
