import data from "./known-files.json" with { type: "json" };

/**
 * What files hold that every project has under the same names, in words that a question would use and the files need not:
 * "dependencies" stands in no `go.mod`.
 */
const knownFilePatterns = data.map(({ path, holds }) => ({ pattern: new RegExp(path), holds }));

/** What a file holds by its name, in words; "" for most. */
export const describeKnownFile = (path: string): string =>
  knownFilePatterns.find(({ pattern }) => pattern.test(path))?.holds ?? "";
