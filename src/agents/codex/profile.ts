import type { AgentProfile } from "../agent.ts";
import { sharedEvents } from "../claude/profile.ts";
import { listPatchFiles } from "./patch-files.ts";

export const codexProfile = {
  name: "codex",
  title: "Codex CLI",
  environment: ["CODEX_HOME"],
  resumeWith: (id) => ["codex", "resume", "--", id],
  startWith: (prompt) => ["codex", "--", prompt],
  shellVariables: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"],
  sessionInCalls: "threadId",
  hooks: {
    events: sharedEvents,
    showsMessages: true,
    // Its only editing tool takes a patch.
    editedFiles: (tool, { command }) =>
      tool === "apply_patch" && typeof command === "string" ? listPatchFiles(command) : [],
  },
} satisfies AgentProfile;
