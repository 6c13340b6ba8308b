import { homedir } from "node:os";
import { join } from "node:path";

/** The directory of user data of an editor made from VS Code ("Code", "Cursor"), where the system keeps such. */
export function locateEditorUserDir(editor: string, env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir();
  const base =
    process.platform === "darwin"
      ? join(home, "Library", "Application Support")
      : process.platform === "win32"
        ? env.APPDATA || join(home, "AppData", "Roaming")
        : env.XDG_CONFIG_HOME || join(home, ".config");
  return join(base, editor, "User");
}

/** The environment variables that move it. */
export const userDirectoryVariables = ["XDG_CONFIG_HOME", "APPDATA"] as const;
