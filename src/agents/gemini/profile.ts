import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentProfile } from "../agent.ts";

/** As `<` is written `&lt;` in what hooks say, the first closing tag is its end. */
const hookContext = /^\s*<hook_context>[\s\S]*?<\/hook_context>\s*/;

export const geminiProfile = {
  name: "gemini",
  title: "Gemini CLI",
  environment: ["GEMINI_CLI_HOME"],
  hooks: {
    events: {
      "pre-compact": "PreCompress",
      "user-prompt": "BeforeAgent",
      "session-start": "SessionStart",
      stop: "AfterAgent",
      "post-tool-use": "AfterTool",
      "session-end": "SessionEnd",
    },
    launchedIn: "GEMINI_PROJECT_DIR",
    /**
     * A prompt without what hooks said before it: the client hands what they added when the session began to the next hook
     * as part of the prompt. It quotes notes, which are no new ones.
     */
    read(given) {
      if (typeof given.prompt !== "string") return given;
      let prompt = given.prompt;
      while (hookContext.test(prompt)) prompt = prompt.replace(hookContext, "");
      return { ...given, prompt };
    },
    editedFiles: (tool, { file_path }) => (["write_file", "replace"].includes(tool) ? [file_path] : []),
    // It tells of "auto" before every request, whether it compresses or not.
    ignores: (hook, { trigger }) => hook === "pre-compact" && trigger === "auto",
  },
} satisfies AgentProfile;

/** Where Gemini CLI keeps what is the user's own. */
export function geminiHome(env: NodeJS.ProcessEnv): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), ".gemini");
}
