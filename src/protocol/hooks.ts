/** The agents' events that Pommel handles, by the name of the command for each: `pm hook pre-compact`. */
export const hookNames = [
  "pre-compact",
  "user-prompt",
  "session-start",
  "stop",
  "post-tool-use",
  "tool-failure",
  "session-end",
  "subagent-stop",
] as const;

export type HookName = (typeof hookNames)[number];

/** Leaves it to the payload's `hook_event_name` which hook it is. */
export const anyHook = "handle";

/** The hook called `text`, in any of its spellings; null if unknown. */
export function hookNamed(text: string): HookName | null {
  if (text === "precompact") return "pre-compact";
  return hookNames.find((name) => name === text) ?? null;
}

/** The hooks of git that Pommel listens to; `pm hook git-post-commit` is what post-commit runs, and so on. */
export const gitHookNames = ["post-commit", "post-rewrite", "pre-push"] as const;
export type GitHookName = (typeof gitHookNames)[number];

/** The stored fields of a hook's stdin. All are optional: clients differ, and none is trusted. */
export const payloadFields = [
  "session_id",
  "transcript_path",
  "cwd",
  "hook_event_name",
  "prompt_id",
  /** SessionStart: startup, resume, fork, compact or clear. */
  "source",
  /** PreCompact: manual or auto. */
  "trigger",
  /** SessionEnd. */
  "reason",
  "agent_id",
  "agent_type",
  "agent_transcript_path",
  "tool_name",
  "tool_use_id",
  /** From the prompt only its notes, from "Note to Pommel:" to the end of their lines, scrubbed. */
  "prompt",
] as const;

export type HookPayload = { [field in (typeof payloadFields)[number]]?: string | undefined };
