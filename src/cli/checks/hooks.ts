import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { type CheckResult, ok, warn } from "./check.ts";

/** Hooks are commands: `pm` has to be found, and it has to be ours. */
export function checkPath(env: NodeJS.ProcessEnv = process.env): CheckResult {
  const { file, problem } = pmOnPath(env);
  return problem ?? ok(`pm is ${file}`);
}

/** The `pm` that a shell would run; `problem` says what is wrong with it. */
export function pmOnPath(env: NodeJS.ProcessEnv = process.env): {
  file: string | null;
  problem: CheckResult | null;
} {
  const file = findExecutable("pm", env);
  if (file === null) {
    const hint = "Install Pommel with `npm install -g pommel`, or put its `pm` on your PATH.";
    return { file, problem: warn("There is no `pm` on the PATH, so hooks cannot run.", hint) };
  }
  if (isOurs(file)) return { file, problem: null };
  const owner = packageOf(file);
  const from = owner === null ? file : `${file}, of the npm package ${owner}`;
  const hint =
    "Put the directory of Pommel's `pm` before it on your PATH. Until then, `pommel` runs the same commands.";
  const problem = warn(`The \`pm\` on the PATH is another program (${from}), so hooks cannot run.`, hint);
  return { file, problem };
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

/** The npm package that an executable belongs to, by its path; null if it belongs to none. */
function packageOf(file: string): string | null {
  const inPackage = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
  return inPackage.exec(realpathSync(file))?.[1] ?? null;
}
