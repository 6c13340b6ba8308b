import type { AgentProfile } from "../agent.ts";
import { filesInPatch } from "./patch-files.ts";

export const codexProfile = {
  name: "codex",
  title: "Codex CLI",
  environment: ["CODEX_HOME"],
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
    // Its only editor is given files and lines in one text.
    editedFiles: (tool, { command }) =>
      tool === "apply_patch" && typeof command === "string" ? filesInPatch(command) : [],
  },
} satisfies AgentProfile;
