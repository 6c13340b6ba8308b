import { gitTextIfAny } from "../../git/git.ts";
import type { Config } from "../../project/config/settings.ts";

/** Under which name this person shares; null: none is known. */
export async function shareAuthor(root: string, config: Config): Promise<string | null> {
  return config["memory.share_author"] || (await gitTextIfAny(root, ["config", "user.email"])) || null;
}
