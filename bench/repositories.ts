import { readFileSync } from "node:fs";
import * as z from "zod/mini";

const repository = z.object({
  name: z.string(),
  language: z.string(),
  url: z.string(),
  revision: z.string(),
  queries: z.array(z.string()),
});
export type Repository = z.infer<typeof repository>;

/** Public code at pinned revisions, and what is asked about it. */
export const repositories = z
  .array(repository)
  .parse(JSON.parse(readFileSync(new URL("repositories.json", import.meta.url), "utf8")));
