import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { codeOf } from "../project/errors.ts";

/** Why git gave no answer. Callers that can do without say so; nobody else should see one. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";

  constructor(
    /** `not_installed`; `no_repository`: nothing git would work on here, a damaged repository included. */
    readonly reason: "not_installed" | "no_repository" | "failed",
    message: string,
  ) {
    super(message);
  }
}

/** Set by git for its hooks; they would lead to another repository than the one asked about. */
const misleading = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_PREFIX",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_QUARANTINE_PATH",
];

/** Exit code of a git that cannot even begin. */
const fatal = 128;

function environment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    LC_ALL: "C",
    // Reading takes no lock, asks no question, and fetches nothing that a partial clone lacks.
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
  };
  for (const name of misleading) delete env[name];
  return env;
}

/**
 * Runs a git command in `dir`, without a shell, and yields what stands between the NULs of its output (`-z`),
 * as it comes. Ends git when the caller stops listening.
 * @throws GitFailure
 */
export async function* gitFields(
  dir: string,
  args: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of gitBytes(dir, args, { signal })) {
    const fields = (rest + decoder.decode(bytes, { stream: true })).split("\0");
    rest = fields.pop()!;
    yield* fields;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** What a git command is given besides its arguments. */
export interface GitInput {
  signal?: AbortSignal | undefined;
  /** What it reads on stdin; without it there is nothing to read. */
  stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> | undefined;
  /** Added to its environment. */
  env?: NodeJS.ProcessEnv;
}

/** As `gitFields`, the bytes of its output as they come. */
export async function* gitBytes(
  dir: string,
  args: readonly string[],
  { signal, stdin, env }: GitInput = {},
): AsyncGenerator<Buffer, void, undefined> {
  const git = spawn("git", ["-C", dir, ...args], {
    env: { ...environment(), ...env },
    stdio: [stdin ? "pipe" : "ignore", "pipe", "pipe"],
    ...(signal && { signal }),
  });
  // git may end before it has read all; its exit code says what that means.
  if (stdin && git.stdin) pipeline(Readable.from(stdin), git.stdin).catch(() => {});
  let complaint = "";
  git.stderr!.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 2000);
  });
  const ended = new Promise<number>((resolve, reject) => {
    git.once("error", reject);
    git.once("close", (code) => resolve(code ?? fatal));
  });
  // Heard below; until then nobody listens, which must not end the process.
  ended.catch(() => {});
  let isDone = false;
  try {
    yield* git.stdout! as AsyncIterable<Buffer>;
    const code = await ended;
    if (code !== 0) throw failureOf(code, complaint);
    isDone = true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new GitFailure("not_installed", "git is not installed");
    throw error;
  } finally {
    if (!isDone) git.kill();
  }
}

/** The whole output of a git command, without the break at its end. Same errors as `gitFields`. */
export async function gitText(dir: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const bytes = await gitBuffer(dir, args, { signal });
  return bytes.toString().replaceAll("\0", "").trimEnd();
}

/** The whole output of a git command as it is. Same errors as `gitFields`. */
export async function gitBuffer(dir: string, args: readonly string[], input: GitInput = {}): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of gitBytes(dir, args, input)) parts.push(part);
  return Buffer.concat(parts);
}

function failureOf(code: number, complaint: string): GitFailure {
  const line = complaint.split("\n", 1)[0]!.replace(/^fatal: /, "");
  const isNone = code === fatal && /not a git repository|does not have any commits|bad revision/.test(line);
  return new GitFailure(isNone ? "no_repository" : "failed", line || `git ended with code ${code}`);
}

/**
 * What makes git say the same whatever a person has configured. Goes before the command's name; the rest is done with
 * flags, as configuration that a command does not read from `-c` alone (attributes, the environment) needs them.
 */
export const plain: readonly string[] = [
  "--literal-pathspecs",
  // Every name stands on one line, and what is no ASCII comes as octal digits.
  ...["-c", "core.quotePath=true"],
  // As blame looks at history, so that what it says a commit added is what the commit's diff says.
  ...["-c", "diff.algorithm=myers", "-c", "diff.indentHeuristic=true"],
  ...["-c", "diff.autoRefreshIndex=true", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false"],
  ...[
    "-c",
    "diff.renameLimit=1000",
    "-c",
    "diff.suppressBlankEmpty=false",
    "-c",
    "diff.ignoreSubmodules=none",
  ],
  ...["-c", "color.ui=false", "-c", "core.warnAmbiguousRefs=false"],
];

/** Of the environment, what would change a command's output in spite of its flags. */
export const plainEnvironment: NodeJS.ProcessEnv = {
  GIT_DIFF_OPTS: undefined,
  GIT_EXTERNAL_DIFF: undefined,
  GIT_ICASE_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
};

/** Flags of a diff that shows what changed, line by line, and how the files were called before. */
export const plainDiff: readonly string[] = [
  ...["-M", "-l1000", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "-O/dev/null"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--inter-hunk-context=0", "--full-index"],
];
