import { join } from "node:path";
import { type GitHookName, gitHookNames } from "../../protocol/hooks.ts";
import { isValidAs } from "../../protocol/outside.ts";
import type { GitHookItem } from "../../protocol/spool-items.ts";
import { notifyDaemon, writeItem } from "./deliver.ts";
import { describeHookFailure, readStdin, warn } from "./stdio.ts";

const heads = "refs/heads/";
/** Maximum length of a remote's name. Characters. */
const maxNameLength = 1024;

/**
 * Runs `pm hook git-<name> ...`: spools git's event and notifies the daemon. Like `runHook`, it never throws and has a deadline.
 * It prints nothing on stdout. The arguments come from the script in git's hooks (git/hooks/script.ts); if the last one starts
 * with `./`, it is the project's path in its repository.
 */
export async function runGitHook(name: string, args: readonly string[]): Promise<void> {
  const receivedAt = Date.now();
  try {
    const hook = gitHookNames.find((one) => name === `git-${one}`);
    if (hook === undefined) return warn(name, "unknown hook; nothing was captured");
    const last = args.at(-1) ?? "";
    const cwd = process.cwd();
    const place = join(cwd, last.startsWith("./") ? last : ".");
    const payload = { cwd, ...(await reports[hook](args)) };
    const item: GitHookItem = { kind: "git-hook", hook, received_at: receivedAt, place, payload };
    writeItem(item);
    await notifyDaemon();
  } catch (error) {
    warn(name, `${describeHookFailure(error)}; nothing was captured`);
  }
}

type HookReport = Omit<GitHookItem["payload"], "cwd">;

const reports: Record<GitHookName, (args: readonly string[]) => HookReport | Promise<HookReport>> = {
  "post-commit": ([head = "", ref = ""]) => ({
    ...(isValidAs("commit", head) && { head }),
    ...(ref === "HEAD" && { branch: null }),
    ...(ref.startsWith(heads) &&
      isValidAs("branch", ref.slice(heads.length)) && { branch: ref.slice(heads.length) }),
  }),
  "post-rewrite": async ([command]) => {
    const { text } = await readStdin();
    const rewritten: [string, string][] = [];
    for (const line of text.split("\n")) {
      const [old = "", now = ""] = line.split(" ", 2);
      if (isValidAs("commit", old) && isValidAs("commit", now)) rewritten.push([old, now]);
    }
    const isKnown = command === "amend" || command === "rebase";
    return { ...(isKnown && { command }), rewritten };
  },
  // Names may contain slashes, but not URLs or absolute paths.
  "pre-push": ([remote = ""]) => ({
    ...(/^[\w][\w./-]*$/.test(remote) && remote.length <= maxNameLength && { remote }),
  }),
};
