import { join } from "node:path";
import { getErrorCode, getErrorMessage } from "../base/errors.ts";
import { findProgram } from "../base/find-program.ts";
import { resolveCommonDirectory } from "../base/paths.ts";
import { GitFailure, makeNotInstalledError, parseFailure } from "./failure.ts";
import { findGitDirectory, readGitFile } from "./git-dir.ts";
import { launchProgram } from "./launch.ts";

/**
 * Keeps git from running the programs that a repository names in its configuration and attributes: whoever unpacks a
 * foreign repository has not agreed to run them. Only checking files out runs filters, as `git checkout` does.
 */

/** Settings as arguments of git. */
export const makeConfigArguments = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** What can be switched off for every command. */
const switchedOff: readonly string[] = makeConfigArguments({
  "core.fsmonitor": "false",
  "log.showSignature": "false",
  "protocol.ext.allow": "never",
  "core.alternateRefsCommand": "true",
});
/** Not for `rev-parse`, which starts none and says where they are. */
const noHooks: readonly string[] = makeConfigArguments({ "core.hooksPath": "/dev/null" });

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
function guardArguments(args: readonly string[]): string[] {
  const at = findCommand(args);
  const command = args[at] ?? "";
  const options = [...switchedOff, ...(command === "rev-parse" ? [] : noHooks)];
  // Flags of the caller come later, and win.
  return [...options, ...args.slice(0, at + 1), ...(flags[command] ?? []), ...args.slice(at + 1)];
}

/** Where the command's name is, after git's own options. */
function findCommand(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) at += args[at] === "-c" || args[at] === "-C" ? 2 : 1;
  return at;
}

/** Whether a command could run filters that the configuration of the repository around `dir` defines. */
function canRunFilters(dir: string, args: readonly string[]): boolean {
  return readsFiles.has(args[findCommand(args)] ?? "") && canHaveFilters(dir);
}

/** An environment that switches filters off. Variables, because a name may hold any character. */
function withoutFilters(names: readonly string[]): NodeJS.ProcessEnv {
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
function canHaveFilters(dir: string): boolean {
  const own = findGitDirectory(dir);
  if (own === null) return true;
  return [join(resolveCommonDirectory(own), "config"), join(own, "config.worktree")].some((file) =>
    /filter|include/i.test(readGitFile(file) ?? ""),
  );
}

export { GitFailure };

/** Git sets these for its hooks; they would select another repository. */
const hookVariables = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_PREFIX",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_QUARANTINE_PATH",
];

/** Git's exit code for fatal errors. */
const fatal = 128;

/** What git's environment has beside, or without, that of this process. */
const environment: Readonly<Record<string, string | undefined>> = {
  LC_ALL: "C",
  // Take no lock, do not prompt, and do not fetch what a partial clone lacks.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  // As git before 2.45 does not know the line above.
  GIT_ALLOW_PROTOCOL: "none",
  ...Object.fromEntries(hookVariables.map((name) => [name, undefined])),
};

/** Lets git reach a remote, or fetch what a partial clone lacks: for what the user asked for. */
export const mayFetch: NodeJS.ProcessEnv = {
  GIT_NO_LAZY_FETCH: "0",
  GIT_ALLOW_PROTOCOL: process.env.GIT_ALLOW_PROTOCOL,
};

/**
 * Runs a git command in `dir`, without a shell and without any program that the repository names (`guard.ts`), and yields the NUL-separated fields of its output (`-z`) as they
 * arrive. Kills git when the caller stops iterating.
 * @throws GitFailure
 */
export async function* readGitFields(
  dir: string,
  args: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of readGitBytes(dir, args, { signal })) {
    const fields = (rest + decoder.decode(bytes, { stream: true })).split("\0");
    rest = fields.pop()!;
    yield* fields;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** A git command's input besides its arguments. */
export interface GitInput {
  signal?: AbortSignal | undefined;
  /** Its stdin; default: none. */
  stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> | undefined;
  /** Added to its environment. */
  env?: NodeJS.ProcessEnv;
  /** Whether filters of the repository's own configuration run: only where the user asked for files to be checked out. */
  filters?: boolean;
}

/** As `readGitFields`, yielding raw output. */
export async function* readGitBytes(
  dir: string,
  args: readonly string[],
  { signal, stdin, env, filters = false }: GitInput = {},
): AsyncGenerator<Buffer, void, undefined> {
  // No name in a repository has one, and no program can be given one.
  if (args.some((arg) => arg.includes("\0"))) throw new GitFailure("failed", "a name holds a NUL");
  const program = findProgram("git");
  if (program === null) throw makeNotInstalledError();
  const [file, ...own] = program;
  const git = await launchProgram(file, [...own, "-C", dir, ...guardArguments(args)], {
    env: {
      ...environment,
      ...env,
      ...(!filters && canRunFilters(dir, args) && withoutFilters(await listOwnFilters(dir))),
    },
    stdin,
    signal,
  });
  const { ended } = git;
  // Awaited below; until then a rejection must not crash the process.
  ended.catch(() => {});
  let isDone = false;
  try {
    yield* git.stdout;
    const code = (await ended) ?? fatal;
    if (code !== 0) throw parseFailure(dir, code, git.stderr());
    isDone = true;
  } catch (error) {
    const code = getErrorCode(error);
    if (code === "ENOENT") throw makeNotInstalledError();
    if (/^E(?:ACCES|PERM|AGAIN|NOMEM|MFILE|NFILE)$/.test(code))
      throw new GitFailure("failed", `git cannot be started: ${getErrorMessage(error)}`);
    throw error;
  } finally {
    if (!isDone) git.kill();
  }
}

/** A git command's output without the final line break. Same errors as `readGitFields`. */
export async function readGitText(
  dir: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const bytes = await readGitBuffer(dir, args, { signal });
  return bytes.toString().replaceAll("\0", "").trimEnd();
}

/** The same; null where git fails or is not installed: what was asked for is not there. */
export async function readGitTextIfAny(
  dir: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | null> {
  try {
    return await readGitText(dir, args, signal);
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** A git command's raw output. Same errors as `readGitFields`. */
export async function readGitBuffer(
  dir: string,
  args: readonly string[],
  input: GitInput = {},
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readGitBytes(dir, args, input)) parts.push(part);
  return Buffer.concat(parts);
}

/** The filters that a repository's own configuration defines, not its user's. */
async function listOwnFilters(dir: string): Promise<string[]> {
  const names = new Set<string>();
  const asked = ["config", "--includes", "--show-scope", "-z", "--name-only", "--get-regexp", "^filter\\."];
  try {
    const fields = readGitFields(dir, asked);
    for await (const scope of fields) {
      const [, name] = /^filter\.(.*)\.\w+$/is.exec((await fields.next()).value ?? "") ?? [];
      if (name !== undefined && (scope === "local" || scope === "worktree")) names.add(name);
    }
  } catch (error) {
    // It says 1 where there are none.
    if (!(error instanceof GitFailure)) throw error;
  }
  return [...names];
}

/**
 * Makes git's output independent of the user's configuration. Goes before the command's name; attributes and
 * environment need the flags and variables below as well.
 */
export const plain: readonly string[] = [
  "--literal-pathspecs",
  ...makeConfigArguments({
    // One name per line, non-ASCII bytes as octal digits.
    "core.quotePath": "true",
    // The same algorithm as blame, so that blame and diff agree on what a commit added.
    "diff.algorithm": "myers",
    "diff.indentHeuristic": "true",
    "diff.autoRefreshIndex": "true",
    "diff.noprefix": "false",
    "diff.mnemonicPrefix": "false",
    "diff.renameLimit": "1000",
    "diff.suppressBlankEmpty": "false",
    "diff.ignoreSubmodules": "none",
    "color.ui": "false",
    "core.warnAmbiguousRefs": "false",
  }),
];

/** Unsets variables that change a command's output despite its flags. */
export const plainEnvironment: NodeJS.ProcessEnv = {
  GIT_DIFF_OPTS: undefined,
  GIT_EXTERNAL_DIFF: undefined,
  GIT_ICASE_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
};

/** Flags of a line-by-line diff as no settings of a person change it. */
export const plainPatch: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "-O/dev/null",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--no-relative",
  "--inter-hunk-context=0",
  "--full-index",
];

/** The same, with renames. */
export const plainDiff: readonly string[] = ["-M", "-l1000", ...plainPatch];
