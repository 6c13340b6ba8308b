import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { type CheckResult, ok, warn } from "./check.ts";

/** Hooks and agents start `pommel`: it has to be found, and it has to be ours. */
export function checkPath(env: NodeJS.ProcessEnv = process.env): CheckResult {
  const { file, problem } = pommelOnPath(env);
  if (problem !== null) return problem;
  const short = findExecutable("pm", env);
  if (short === null || isOurs(short)) return ok(`pommel is ${file}`);
  return ok(`pommel is ${file}; \`pm\` is another program (${named(short)}), so type \`pommel\` instead`);
}

/** The `pommel` that a shell would run; `problem` says what is wrong with it. */
export function pommelOnPath(env: NodeJS.ProcessEnv = process.env): {
  file: string | null;
  problem: CheckResult | null;
} {
  const file = findExecutable("pommel", env);
  const hint = "Install Pommel with `npm install -g pommel`, or put its `pommel` on your PATH.";
  if (file === null)
    return { file, problem: warn("`pommel` is not on the PATH, so hooks do nothing.", hint) };
  if (isOurs(file)) return { file, problem: null };
  const message = `The \`pommel\` on the PATH is another program (${named(file)}), so hooks do nothing.`;
  return { file, problem: warn(message, hint) };
}

function findExecutable(name: string, env: NodeJS.ProcessEnv): string | null {
  const names = process.platform === "win32" ? [`${name}.cmd`, `${name}.exe`, name] : [name];
  for (const dir of (env.PATH ?? env.Path ?? "").split(delimiter)) {
    for (const candidate of dir === "" ? [] : names.map((file) => join(dir, file))) {
      if (isExecutable(candidate)) return candidate;
    }
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A link to our script, or the script of a package manager that starts it. */
function isOurs(file: string): boolean {
  try {
    if (basename(realpathSync(file)) === "pm.cjs") return true;
    return statSync(file).size < 65_536 && /\bpm\.cjs\b|pommel/i.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

/** An executable, with the npm package that it belongs to by its path, if any. */
function named(file: string): string {
  const inPackage = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
  const [, owner] = inPackage.exec(realpathSync(file)) ?? [];
  return owner === undefined ? file : `${file}, of the npm package ${owner}`;
}
