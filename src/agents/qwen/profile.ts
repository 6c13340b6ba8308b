import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentProfile } from "../agent.ts";
import { sharedEvents } from "../claude/profile.ts";

export const qwenProfile = {
  name: "qwen",
  title: "Qwen Code",
  environment: ["QWEN_HOME", "QWEN_RUNTIME_DIR"],
  sessionVariable: "QWEN_CODE_SESSION_ID",
  resumeWith: (id) => ["qwen", `--resume=${id}`],
  startWith: (prompt) => ["qwen", `--prompt-interactive=${prompt}`],
  shellVariables: ["QWEN_CODE"],
  hooks: {
    events: sharedEvents,
    showsMessages: true,
    editedFiles: (tool, { file_path }) => (["edit", "write_file"].includes(tool) ? [file_path] : []),
    // It also asks before each answer to a tool, without a prompt, and when a background task ended.
    shouldIgnore: (hook, { prompt }) =>
      hook === "user-prompt" &&
      typeof prompt === "string" &&
      (prompt.trim() === "" || prompt.trimStart().startsWith("<task-notification>")),
  },
} satisfies AgentProfile;

/** Qwen Code's user directory. */
export function locateQwenHome(env: NodeJS.ProcessEnv): string {
  return env.QWEN_HOME || join(env.HOME || homedir(), ".qwen");
}
