import type { AgentProfile } from "../agent.ts";
import { claudeProfile } from "../claude/profile.ts";
import { filesInPatch } from "./patch-files.ts";

/** The same as Claude Code's, which has one more. */
const { "tool-failure": _, ...events } = claudeProfile.hooks.events;

export const codexProfile = {
  name: "codex",
  title: "Codex CLI",
  environment: ["CODEX_HOME"],
  resumeCommand: (id) => `codex resume ${id}`,
  hooks: {
    events,
    // Its only editing tool takes a patch.
    editedFiles: (tool, { command }) =>
      tool === "apply_patch" && typeof command === "string" ? filesInPatch(command) : [],
  },
} satisfies AgentProfile;
