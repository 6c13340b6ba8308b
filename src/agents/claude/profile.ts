import { existsSync } from "node:fs";
import type { AgentProfile } from "../agent.ts";

export const claudeProfile = {
  name: "claude",
  title: "Claude Code",
  environment: ["CLAUDE_CONFIG_DIR"],
  hooks: {
    events: {
      "pre-compact": "PreCompact",
      "user-prompt": "UserPromptSubmit",
      "session-start": "SessionStart",
      stop: "Stop",
      "post-tool-use": "PostToolUse",
      "session-end": "SessionEnd",
      "subagent-stop": "SubagentStop",
    },
    launchedIn: "CLAUDE_PROJECT_DIR",
    editedFiles: (tool, { file_path, notebook_path }) =>
      ["Edit", "Write", "MultiEdit", "NotebookEdit"].includes(tool) ? [file_path ?? notebook_path] : [],
    ignores(hook, { prompt, agent_type, agent_transcript_path: transcript }) {
      // A prompt that the client writes itself, when a task in the background ended.
      if (hook === "user-prompt")
        return typeof prompt === "string" && prompt.trimStart().startsWith("<task-notification>");
      // The subagent that compaction runs, which has no transcript.
      if (hook !== "subagent-stop" || agent_type !== "") return false;
      return typeof transcript !== "string" || !existsSync(transcript);
    },
    async runsTwice(root, hook) {
      if (!process.env.CLAUDE_PLUGIN_ROOT) return false;
      return (await import("./plugin-twin.ts")).isInSettings(root, hook);
    },
  },
} satisfies AgentProfile;
