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
