import { readFileSync, statSync } from "node:fs";

/** A program to start: its file, and arguments that come before all others. */
export type Program = readonly [file: string, ...args: string[]];

/**
 * The program of that name, or at that path. Looked for in the absolute directories of the PATH only: the system would
 * also look in the current directory (on Windows, or by `.` in the PATH), which may be a stranger's. A script that npm
 * wrote for Windows is started as what it starts, a file of JavaScript, because only a shell could run it.
 * @returns null where there is none that can be started without a shell
 */
export function findProgram(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Program | null {
  const isWindows = platform === "win32";
  const isAbsolute = isWindows ? /^(?:[A-Za-z]:)?[\\/]/ : /^\//;
  const folders = /[\\/]/.test(name) ? [name] : (env.PATH ?? env.Path ?? "").split(isWindows ? ";" : ":");
  for (const folder of folders) {
    if (!isAbsolute.test(folder)) continue;
    const base = folder === name ? name : `${folder}/${name}`;
    const endings = !isWindows || /\.(?:exe|com|cmd)$/i.test(name) ? [""] : [".exe", ".com", ".cmd"];
    const file = endings.map((ending) => base + ending).find((one) => isProgram(one, isWindows));
    if (file === undefined) continue;
    const program =
      isWindows && /\.cmd$/i.test(file) ? findScriptTarget(file, env, platform) : ([file] as const);
    if (program !== null) return program;
  }
  return null;
}

function isProgram(file: string, isWindows: boolean): boolean {
  try {
    const stats = statSync(file);
    return stats.isFile() && (isWindows || (stats.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

/** What a script of npm's cmd-shim starts; null for another script. */
function findScriptTarget(file: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Program | null {
  const [, script] = /"%(?:~dp0|dp0%)\\?([^"%]+\.[cm]?js)"\s+%\*/i.exec(readFileSync(file, "utf8")) ?? [];
  if (script === undefined) return null;
  const folder = file.replace(/[^\\/]*$/, "");
  const node = findProgram(`${folder}node.exe`, env, platform) ?? findProgram("node.exe", env, platform);
  return node && [...node, folder + script];
}

/**
 * A command line that the user has configured (a pager, an editor), with more arguments. On Windows it is a program with its
 * arguments; elsewhere the user's shell reads it, as git does.
 */
export function findUserCommand(
  line: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Program | null {
  if (platform !== "win32") {
    const shell = findProgram("sh", env, platform);
    return shell && [...shell, "-c", `${line} "$@"`, "sh", ...args];
  }
  const [name, ...own] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
  const program = name === undefined ? null : findProgram(name, env, platform);
  return program && [...program, ...own, ...args];
}
