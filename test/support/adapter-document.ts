import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The adapter that docs/adapters.md shows, as files. */

export const repositoryRoot = resolve(import.meta.dirname, "../..");
export const adaptersPage = readFileSync(join(repositoryRoot, "docs/adapters.md"), "utf8");

/** The files that the page shows, by their path from the repository's root. */
export const shownFiles: ReadonlyMap<string, string> = new Map(
  [...adaptersPage.matchAll(/```ts\n\/\/ (src\/\S+)\n([\s\S]*?)```/g)].map(([, path = "", code = ""]) => [
    path,
    code,
  ]),
);
