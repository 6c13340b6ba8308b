import { spawn } from "node:child_process";
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
const misleading = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"];

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
  const git = spawn("git", ["-C", dir, ...args], {
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal && { signal }),
  });
  let complaint = "";
  git.stderr.setEncoding("utf8").on("data", (text: string) => {
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
    let rest = "";
    for await (const text of git.stdout.setEncoding("utf8") as AsyncIterable<string>) {
      const fields = (rest + text).split("\0");
      rest = fields.pop()!;
      yield* fields;
    }
    const code = await ended;
    if (code !== 0) throw failureOf(code, complaint);
    isDone = true;
    if (rest !== "") yield rest;
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new GitFailure("not_installed", "git is not installed");
    throw error;
  } finally {
    if (!isDone) git.kill();
  }
}

/** The whole output of a git command, without the break at its end. Same errors as `gitFields`. */
export async function gitText(dir: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  let text = "";
  for await (const field of gitFields(dir, args, signal)) text += field;
  return text.trimEnd();
}

function failureOf(code: number, complaint: string): GitFailure {
  const line = complaint.split("\n", 1)[0]!.replace(/^fatal: /, "");
  const isNone = code === fatal && /not a git repository|does not have any commits|bad revision/.test(line);
  return new GitFailure(isNone ? "no_repository" : "failed", line || `git ended with code ${code}`);
}
