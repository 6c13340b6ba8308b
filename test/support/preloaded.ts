import { join } from "node:path";

/** Environment of a program of Node that loads a file of `preloads/` first: it says there what that changes. */
export const preloaded = (file: string) => ({
  NODE_OPTIONS: `--require "${join(import.meta.dirname, "preloads", file)}"`,
});
