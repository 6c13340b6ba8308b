import type { AgentProfile } from "../agent.ts";

/** Hook output escapes `<`, so the first closing tag ends it. */
const hookContext = /^\s*<hook_context>[\s\S]*?<\/hook_context>\s*/;

export const geminiProfile = {
  name: "gemini",
  title: "Gemini CLI",
  environment: ["GEMINI_CLI_HOME"],
  resumeWith: (id) => ["gemini", `--resume=${id}`],
  startWith: (prompt) => ["gemini", `--prompt-interactive=${prompt}`],
  shellVariables: ["GEMINI_CLI"],
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
    showsMessages: true,
    /**
     * Removes earlier hook output: the client passes what hooks added at the session's start as part of the next
     * prompt. It may quote notes, which must not be stored again.
     */
    read(given) {
      if (typeof given.prompt !== "string") return given;
      let prompt = given.prompt;
      while (hookContext.test(prompt)) prompt = prompt.replace(hookContext, "");
      return { ...given, prompt };
    },
    editedFiles: (tool, { file_path }) => (["write_file", "replace"].includes(tool) ? [file_path] : []),
    // "auto" fires before every request, whether it compresses or not.
    shouldIgnore: (hook, { trigger }) => hook === "pre-compact" && trigger === "auto",
  },
} satisfies AgentProfile;
