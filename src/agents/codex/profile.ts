import type { AgentProfile } from "../agent.ts";
import { claudeProfile } from "../claude/profile.ts";
import { filesInPatch } from "./patch-files.ts";

export const codexProfile = {
  name: "codex",
  title: "Codex CLI",
  environment: ["CODEX_HOME"],
  hooks: {
    // It took Claude Code's over.
    events: claudeProfile.hooks.events,
    // Its only editor is given files and lines in one text.
    editedFiles: (tool, { command }) =>
      tool === "apply_patch" && typeof command === "string" ? filesInPatch(command) : [],
  },
} satisfies AgentProfile;
