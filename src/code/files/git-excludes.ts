import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The text of a file, or null where there is none to read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/**
 * The files outside the tree that tell git what to ignore in it, lowest precedence first: the user's
 * (core.excludesFile) and the repository's (info/exclude). They need not exist. Reads git's files instead
 * of asking git: no process, and it works where git is not installed. Conditional includes in git's
 * configuration are not followed.
 */
export function gitExcludeFiles(root: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const home = env.HOME || homedir();
  const configDir = join(env.XDG_CONFIG_HOME || join(home, ".config"), "git");
  const gitDir = commonGitDir(root);
  const configs = env.GIT_CONFIG_GLOBAL
    ? [env.GIT_CONFIG_GLOBAL]
    : [join(configDir, "config"), join(home, ".gitconfig")];
  if (gitDir !== null) configs.push(join(gitDir, "config"));

  let usersExcludes = join(configDir, "ignore");
  for (const config of configs) {
    const value = excludesFileIn(readText(config) ?? "");
    if (value !== null) usersExcludes = resolve(root, value.replace(/^~(?=\/)/, home));
  }
  return gitDir === null ? [usersExcludes] : [usersExcludes, join(gitDir, "info", "exclude")];
}

/** Where `info/` lies: `.git`, or what a linked worktree's or submodule's `.git` file leads to. */
function commonGitDir(root: string): string | null {
  const dotGit = join(root, ".git");
  const pointer = readText(dotGit);
  // Not a file: the directory itself, or nothing, and then nothing below it can be read either.
  if (pointer === null) return dotGit;
  const target = /^gitdir: (.+?)\s*$/m.exec(pointer)?.[1];
  if (target === undefined) return null;
  const gitDir = resolve(root, target);
  const common = readText(join(gitDir, "commondir"));
  return common === null ? gitDir : resolve(gitDir, common.trim());
}

/** The value of `excludesFile` in the section `[core]`, the last one given. */
function excludesFileIn(config: string): string | null {
  let section = "";
  let value: string | null = null;
  for (const line of config.split("\n")) {
    section = /^\s*\[\s*([^\]\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    if (section !== "core") continue;
    const found = /^\s*(?:\[[^\]]*\]\s*)?excludesfile\s*=\s*("?)(.*?)\1\s*$/i.exec(line)?.[2];
    if (found !== undefined) value = found;
  }
  return value;
}
