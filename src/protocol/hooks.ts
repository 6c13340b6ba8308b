/** The events of agents that Pommel listens to, by the name of the command that runs for each: `pm hook pre-compact`. */
export const hookNames = [
  "pre-compact",
  "user-prompt",
  "session-start",
  "stop",
  "post-tool-use",
  "session-end",
  "subagent-stop",
] as const;

export type HookName = (typeof hookNames)[number];

/** Leaves it to the payload's `hook_event_name` which hook it is. */
export const anyHook = "handle";

/** The hook that `text` names, in one of its spellings; null for none of ours. */
export function hookNamed(text: string): HookName | null {
  if (text === "precompact") return "pre-compact";
  return hookNames.find((name) => name === text) ?? null;
}

/** The hooks of git that Pommel listens to; `pm hook git-post-commit` is what post-commit runs, and so on. */
export const gitHookNames = ["post-commit", "post-rewrite", "pre-push"] as const;
export type GitHookName = (typeof gitHookNames)[number];

/** The fields of a hook's stdin that are kept. All are optional: clients differ, and none is trusted. */
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
  /** Of `tool_input` the path of the file that it touches, nothing of its content. */
  "file_path",
  /** Of the prompt only its notes, from "Note to Pommel:" to the end of their lines, scrubbed. */
  "prompt",
] as const;

export type HookPayload = { [field in (typeof payloadFields)[number]]?: string | undefined };
