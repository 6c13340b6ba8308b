import { join } from "node:path";
import { commonDirectoryOf } from "../project/paths.ts";
import { gitDirectoryOf, textOf } from "./git-dir.ts";

/**
 * Keeps git from running the programs that a repository names in its configuration and attributes: whoever unpacks a
 * foreign repository has not agreed to run them. Only checking files out runs filters, as `git checkout` does.
 */

/** What can be switched off for every command. */
const switchedOff: readonly string[] = [
  ...["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "protocol.ext.allow=never"],
  ...["-c", "core.alternateRefsCommand=true"],
];
/** Not for `rev-parse`, which starts none and says where they are. */
const noHooks: readonly string[] = ["-c", "core.hooksPath=/dev/null"];

const noDrivers = ["--no-ext-diff", "--no-textconv"];
/** Nor is git started in submodules, each of which has a configuration of its own. */
const noSubmodules = "--ignore-submodules=dirty";
const flags: Readonly<Record<string, readonly string[]>> = {
  blame: ["--no-textconv"],
  diff: [...noDrivers, noSubmodules],
  "diff-files": [...noDrivers, noSubmodules],
  "diff-index": [...noDrivers, noSubmodules],
  "diff-tree": noDrivers,
  grep: ["--no-textconv"],
  log: noDrivers,
  show: noDrivers,
  status: [noSubmodules],
};
/** Commands that read files of the working tree through its clean filters. */
const readsFiles: ReadonlySet<string> = new Set(["blame", "diff", "diff-files", "diff-index", "status"]);

/** Arguments of git, after `-C dir`, with what keeps it from running anything. */
export function guarded(args: readonly string[]): string[] {
  const at = commandAt(args);
  const command = args[at] ?? "";
  const options = [...switchedOff, ...(command === "rev-parse" ? [] : noHooks)];
  // Flags of the caller come later, and win.
  return [...options, ...args.slice(0, at + 1), ...(flags[command] ?? []), ...args.slice(at + 1)];
}

/** Where the command's name is, after git's own options. */
function commandAt(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) at += args[at] === "-c" || args[at] === "-C" ? 2 : 1;
  return at;
}

/** Whether a command could run filters that the configuration of the repository around `dir` defines. */
export function mayRunFilters(dir: string, args: readonly string[]): boolean {
  return readsFiles.has(args[commandAt(args)] ?? "") && mayHaveFilters(dir);
}

/** An environment that switches filters off. Variables, because a name may hold any character. */
export function withoutFilters(names: readonly string[]): NodeJS.ProcessEnv {
  const already = Number(process.env.GIT_CONFIG_COUNT ?? 0);
  const settings = names.flatMap((name) => [
    ...["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""]),
    [`filter.${name}.required`, "false"],
  ]);
  const variables = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${already + i}`, key],
    [`GIT_CONFIG_VALUE_${already + i}`, value],
  ]);
  return { ...Object.fromEntries(variables), GIT_CONFIG_COUNT: String(already + settings.length) };
}

/** Whether the repository's configuration could name a filter. Read here, as most name none and git costs milliseconds. */
function mayHaveFilters(dir: string): boolean {
  const own = gitDirectoryOf(dir);
  if (own === null) return true;
  return [join(commonDirectoryOf(own), "config"), join(own, "config.worktree")].some((file) =>
    /filter|include/i.test(textOf(file) ?? ""),
  );
}
