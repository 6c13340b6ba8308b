import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentProfile, GivenPayload } from "../agent.ts";
import { listPatchFiles } from "../codex/patch-files.ts";

export const copilotProfile = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  environment: ["COPILOT_HOME"],
  sessionVariable: "COPILOT_AGENT_SESSION_ID",
  resumeWith: (id) => ["copilot", `--resume=${id}`],
  shellVariables: ["COPILOT_CLI"],
  hooks: {
    // Under Claude Code's names the payload has Claude Code's fields, and edits are called as there.
    events: {
      "pre-compact": "PreCompact",
      "user-prompt": "UserPromptSubmit",
      "session-start": "SessionStart",
      stop: "Stop",
      "post-tool-use": "PostToolUse",
      "session-end": "SessionEnd",
    },
    launchedIn: "COPILOT_PROJECT_DIR",
    read: ({ session_id, transcript_path, source, ...more }) => ({
      ...more,
      session_id,
      // Most events lack it.
      transcript_path: transcript_path ?? locateTranscript(session_id),
      source: source === "new" ? "startup" : source,
    }),
    editedFiles: (tool, { path, input }) => {
      if (tool !== "Edit" && tool !== "Write") return [];
      return typeof input === "string" ? listPatchFiles(input) : [path];
    },
    // A subagent's events name it as the session; its lines are in its session's file.
    shouldIgnore: (_, { agent_id }) => agent_id !== undefined,
    answer: (text) => ({ additionalContext: text }),
  },
} satisfies AgentProfile;

/** GitHub Copilot CLI's user directory. */
export function locateCopilotHome(env: NodeJS.ProcessEnv): string {
  return env.COPILOT_HOME || join(env.HOME || homedir(), ".copilot");
}

function locateTranscript(session: unknown): string | undefined {
  if (typeof session !== "string" || !/^[\w-]+$/.test(session)) return undefined;
  return join(locateCopilotHome(process.env), "session-state", session, "events.jsonl");
}

/**
 * Whether Copilot runs a hook that is meant for Claude Code: it also reads a repository's `.claude/settings.json`.
 * What it runs may in turn run Claude Code, whose payload has no timestamp.
 */
export function isCopilots({ timestamp }: GivenPayload, env: NodeJS.ProcessEnv): boolean {
  return env.COPILOT_CLI !== undefined && typeof timestamp === "string";
}
