import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTextIfAny } from "../../base/files/if-any.ts";
import type { HookName } from "../../protocol/hooks.ts";
import type { AgentProfile } from "../agent.ts";
import { isCopilots } from "../copilot/profile.ts";
import { isCursors } from "../cursor/profile.ts";
import { locateClaudeHome } from "./home.ts";

/** Those that Codex CLI has as well. */
export const sharedEvents = {
  "pre-compact": "PreCompact",
  "user-prompt": "UserPromptSubmit",
  "session-start": "SessionStart",
  stop: "Stop",
  "post-tool-use": "PostToolUse",
  "session-end": "SessionEnd",
  "subagent-stop": "SubagentStop",
} as const;

export const claudeProfile = {
  name: "claude",
  title: "Claude Code",
  environment: ["CLAUDE_CONFIG_DIR"],
  sessionVariable: "CLAUDE_CODE_SESSION_ID",
  resumeWith: (id) => ["claude", `--resume=${id}`],
  startWith: (prompt) => ["claude", "--", prompt],
  shellVariables: ["CLAUDECODE"],
  hooks: {
    events: {
      ...sharedEvents,
      "pre-tool-use": "PreToolUse",
      "tool-failure": "PostToolUseFailure",
      notification: "Notification",
    },
    takesContext: [
      "session-start",
      "user-prompt",
      "pre-tool-use",
      "post-tool-use",
      "tool-failure",
      "pre-compact",
    ],
    waitsFor: { permission_prompt: "permission", elicitation_dialog: "question", idle_prompt: "prompt" },
    launchedIn: "CLAUDE_PROJECT_DIR",
    decide: (permissionDecision, permissionDecisionReason) => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason },
    }),
    showsMessages: true,
    isByProgram: ({ CLAUDE_CODE_ENTRYPOINT: entrypoint = "" }) => isProgram(entrypoint),
    editedFiles: (tool, { file_path, notebook_path }) =>
      ["Edit", "Write", "MultiEdit", "NotebookEdit"].includes(tool) ? [file_path ?? notebook_path] : [],
    shouldIgnore(hook, given) {
      const { prompt, agent_type, agent_transcript_path: transcript } = given;
      if (isCopilots(given, process.env) || isCursors(given)) return true;
      // A prompt by the client when a background task ended.
      if (hook === "user-prompt")
        return typeof prompt === "string" && prompt.trimStart().startsWith("<task-notification>");
      // Compaction's subagent has no transcript.
      if (hook !== "subagent-stop" || agent_type !== "") return false;
      return typeof transcript !== "string" || !existsSync(transcript);
    },
    async isRunTwice(root, hook) {
      if (!process.env.CLAUDE_PLUGIN_ROOT) return false;
      return isInSettings(root, hook);
    },
  },
} satisfies AgentProfile;

/** `claude -p` and the SDK, as transcripts and hooks name them. */
export const isProgram = (entrypoint: string): boolean => entrypoint.startsWith("sdk-");

/**
 * Whether the settings of the project or the user also have a Pommel hook for this event. Claude Code runs a command
 * from several settings files once, but once more for a plugin: then the plugin's hook does nothing.
 */
function isInSettings(root: string, hook: HookName): boolean {
  const dirs = [process.env.CLAUDE_PROJECT_DIR || root, locateClaudeHome()];
  const files = dirs.flatMap((dir, at) =>
    at === 0
      ? [join(dir, ".claude", "settings.json"), join(dir, ".claude", "settings.local.json")]
      : [join(dir, "settings.json")],
  );
  const command = new RegExp(
    `"command"\\s*:\\s*"(?:(?:[^"\\\\]|\\\\.)*[\\\\/ ])?(?:pm|pommel) hook (?:${hook}|handle)(?: \\|\\| true)?(?:;; esac)?"`,
  );
  return files.some((file) => command.test(readTextIfAny(file)));
}
