import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { findProgram } from "../base/find-program.ts";

/** The `pommel` that a shell would run; `problem` says what is wrong with it. */
export function findPommelOnPath(env: NodeJS.ProcessEnv = process.env): {
  file: string | null;
  problem: { message: string; hint: string } | null;
} {
  const file = findExecutable("pommel", env);
  const hint = "Put Pommel's `pommel` on your PATH; docs/getting-started.md has how to install it.";
  if (file === null)
    return { file, problem: { message: "`pommel` is not on the PATH, so hooks do nothing.", hint } };
  if (isOurs(file)) return { file, problem: null };
  const message = `The \`pommel\` on the PATH is another program (${describeExecutable(file)}), so hooks do nothing.`;
  return { file, problem: { message, hint } };
}

export const findExecutable = (name: string, env: NodeJS.ProcessEnv): string | null =>
  findProgram(name, env)?.at(-1) ?? null;

/** A link to our script, or the script of a package manager that starts it. */
export function isOurs(file: string): boolean {
  try {
    if (basename(realpathSync(file)) === "pm.cjs") return true;
    return statSync(file).size < 65_536 && /\bpm\.cjs\b|pommel/i.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

/** An executable, with the npm package that it belongs to by its path, if any. */
export function describeExecutable(file: string): string {
  const inPackage = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
  const [, owner] = inPackage.exec(realpathSync(file)) ?? [];
  return owner === undefined ? file : `${file}, of the npm package ${owner}`;
}
