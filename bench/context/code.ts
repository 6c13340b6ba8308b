import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { Indexer } from "../../src/code/index/indexer.ts";
import { defaultConfig } from "../../src/project/config/settings.ts";
import { silentLog } from "../../src/project/log.ts";
import { projectAt } from "../../src/project/paths.ts";
import { codeNamed } from "../../src/queries/context/relevance.ts";
import { indexDriver } from "../../src/store/index/drivers.ts";
import type { Played } from "./replay.ts";

/** What was injected about the code that a first prompt names. */
export interface Named {
  session: string;
  prompt: string;
  /** Whether the session later read or changed the file of the place. */
  places: { place: string; name: string; isUsed: boolean }[];
}

/**
 * Asks with each prompt in the code at the beginning of its session: the last commit of the default branch.
 * @param scratch where the repository is checked out and indexed
 */
export async function askForCode(
  repository: string,
  plays: readonly Played[],
  scratch: string,
): Promise<Named[]> {
  const root = join(scratch, "code");
  execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", repository, root]);
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
  const project = projectAt(root);
  const config = defaultConfig();
  const { index } = await (await indexDriver(config)).openToWrite(join(scratch, "code.db"), silentLog);
  const named: Named[] = [];
  let last = "";
  try {
    for (const { name: session, moments, touched } of plays.toSorted((a, b) => a.startedAt - b.startedAt)) {
      const first = moments.find(({ kind }) => kind === "prompt");
      if (first === undefined) continue;
      const { at, prompt } = first;
      const revision = git("rev-list", "-1", `--before=${new Date(at).toISOString()}`, "origin/HEAD");
      if (revision === "") continue;
      if (revision !== last) {
        git("checkout", "--quiet", "--force", "--detach", revision);
        const rules = createIgnoreRules(root, config);
        const indexer = new Indexer({ project, config, rules, index, withVectors: false, log: silentLog });
        await indexer.reconcile();
        await indexer.close();
        last = revision;
      }
      const places = (await codeNamed(index, prompt)).map(({ ref, place }) => {
        const [path = "", name = ""] = ref.slice("code:".length).split("#");
        // Sessions of other machines have other directories before it.
        const isUsed = touched.some((file) => file.path === path || file.path.endsWith(`/${path}`));
        return { place, name, isUsed };
      });
      named.push({ session, prompt, places });
    }
  } finally {
    await index.close();
  }
  return named;
}
