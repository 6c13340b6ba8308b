import { codeOf } from "../project/errors.ts";
import { gitProjectOf } from "../project/paths.ts";
import { type GitHookName, gitHookNames } from "../protocol/git-hook-names.ts";
import type { GitHookItem } from "../protocol/spool-items.ts";
import { notifyDaemon } from "./notify.ts";
import { readStdin } from "./read-stdin.ts";
import { warn } from "./warn.ts";
import { writeItem } from "./write-item.ts";

/** SHA-1 or SHA-256, whole. */
const hash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const heads = "refs/heads/";
/** Longer ones are no names. Characters. */
const maxNameLength = 1024;

/**
 * What `pm hook git-<name> ...` does: spools what git said and pokes the daemon. As `runHook`, it never throws, never
 * waits for long, and prints nothing on stdout. What follows the name is what the script in git's hooks hands on
 * (git/hooks/script.ts); the last word, if it starts with `./`, is where the project lies in its repository.
 */
export async function runGitHook(name: string, args: readonly string[]): Promise<void> {
  const receivedAt = Date.now();
  try {
    const hook = gitHookNames.find((one) => name === `git-${one}`);
    if (hook === undefined) return warn(name, "unknown hook; nothing was captured");
    const last = args.at(-1) ?? "";
    const cwd = process.cwd();
    const project = gitProjectOf(cwd, last.startsWith("./") ? last : ".");
    if (project === null) return;
    const payload = { cwd, ...(await reports[hook](args)) };
    const item: GitHookItem = { kind: "git-hook", hook, received_at: receivedAt, payload };
    writeItem(project, item);
    await notifyDaemon(project);
  } catch (error) {
    warn(name, `it failed (${codeOf(error) || "unexpected error"}); nothing was captured`);
  }
}

type HookReport = Omit<GitHookItem["payload"], "cwd">;

const reports: Record<GitHookName, (args: readonly string[]) => HookReport | Promise<HookReport>> = {
  "post-commit": ([head = "", ref = ""]) => ({
    ...(hash.test(head) && { head }),
    ...(ref === "HEAD" && { branch: null }),
    ...(ref.startsWith(heads) && ref.length <= maxNameLength && { branch: ref.slice(heads.length) }),
  }),
  "post-rewrite": async ([command]) => {
    const { text } = await readStdin();
    const rewritten: [string, string][] = [];
    for (const line of text.split("\n")) {
      const [old = "", now = ""] = line.split(" ", 2);
      if (hash.test(old) && hash.test(now)) rewritten.push([old, now]);
    }
    const isKnown = command === "amend" || command === "rebase";
    return { ...(isKnown && { command }), rewritten };
  },
  // A name may hold slashes; a URL or a path is never one.
  "pre-push": ([remote = ""]) => ({
    ...(/^[\w][\w./-]*$/.test(remote) && remote.length <= maxNameLength && { remote }),
  }),
};
