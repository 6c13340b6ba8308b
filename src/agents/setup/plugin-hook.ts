/** What the text below needs to be imported. */
export const hookImports = `import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";`;

/**
 * JavaScript for plugins of clients that run no hook commands themselves: `hook(event, payload, cwd)` runs `pommel hook`.
 * It finds the program as `base/find-program.ts` does, without a shell: a client works in any directory.
 * @param timeout of a hook, in milliseconds, as it stands in the plugin
 */
export const makeHookFunction = (
  agent: string,
  timeout: string,
) => `const isWindows = process.platform === "win32";
const onPath = (name) =>
  (process.env.PATH ?? "").split(isWindows ? ";" : ":").filter(isAbsolute).map((dir) => join(dir, name)).find(existsSync);

/** The program and its first arguments. On Windows npm installs a script, which only a shell could run: what it starts. */
function pommel() {
  const file = onPath(isWindows ? "pommel.cmd" : "pommel");
  if (!isWindows || !file) return file && [file];
  const [, script] = /"%(?:~dp0|dp0%)\\\\?([^"%]+\\.[cm]?js)"/i.exec(readFileSync(file, "utf8")) ?? [];
  const node = onPath("node.exe");
  return script && node && [node, join(file, "..", script)];
}

/** Runs a hook. Resolves to the context that it gives; "" without one, or without Pommel. */
function hook(event, payload, cwd) {
  return new Promise((resolve) => {
    const [program, ...args] = pommel() || [];
    if (!program) return resolve("");
    const child = spawn(program, [...args, "hook", "--agent", "${agent}", event], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: ${timeout},
    });
    let printed = "";
    child.stdout.on("data", (text) => (printed += text));
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try {
        resolve(JSON.parse(printed).hookSpecificOutput.additionalContext ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify({ ...payload, cwd }));
  });
}`;
