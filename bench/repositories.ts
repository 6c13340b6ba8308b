import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
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

/** Where benchmarks keep what they fetch, unless they are given a directory. */
export const checkoutCache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pommel-bench");

/** The repository at its pinned revision, fetched once into a directory of its name. */
export function checkOut(
  checkouts: string,
  { name, url, revision }: { name: string; url: string; revision: string },
): string {
  const dir = join(checkouts, name);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, ...args], { stdio: "pipe", encoding: "utf8" });
  if (!existsSync(join(dir, ".git"))) {
    mkdirSync(dir, { recursive: true });
    git("init", "--quiet");
  }
  const present = spawnSync("git", ["-C", dir, "cat-file", "-e", revision], { stdio: "ignore" }).status === 0;
  if (!present) {
    console.error(`fetching ${name} ${revision.slice(0, 10)} …`);
    git("fetch", "--quiet", "--depth", "1", url, revision);
  }
  git("checkout", "--quiet", "--force", "--detach", revision);
  git("clean", "--quiet", "-ffdx");
  return dir;
}
