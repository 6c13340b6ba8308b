/** The levels of a chunk, from the whole to the small. */
export const levels = ["file", "class", "method", "block", "lines"] as const;
export type Level = (typeof levels)[number];
