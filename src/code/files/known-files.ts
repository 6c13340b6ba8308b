import data from "./known-files.json" with { type: "json" };

/**
 * What files hold that every project has under the same names, in words that a question would use and the files need not:
 * "dependencies" stands in no `go.mod`.
 */
const known = data.map(({ path, holds }) => ({ pattern: new RegExp(path), holds }));

/** What a file holds by its name, in words; "" for most. */
export const holdingsOf = (path: string): string =>
  known.find(({ pattern }) => pattern.test(path))?.holds ?? "";
