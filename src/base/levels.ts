/** The levels of a chunk, from the whole to the small. */
export const levels = ["file", "class", "method", "block", "lines"] as const;
export type Level = (typeof levels)[number];

/** A level by its public names: functions and methods share one level. */
export const levelNames = [...levels, "function"] as const;
export type LevelName = (typeof levelNames)[number];

export const toLevel = (name: LevelName): Level => (name === "function" ? "method" : name);
