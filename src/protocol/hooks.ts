import type { OutsideKind } from "./outside.ts";

/** The agents' events that Pommel handles, by the name of the command for each: `pm hook pre-compact`. */
export const hookNames = [
  "pre-compact",
  "user-prompt",
  "session-start",
  "stop",
  "pre-tool-use",
  "post-tool-use",
  "tool-failure",
  "session-end",
  "subagent-stop",
  "notification",
] as const;

export type HookName = (typeof hookNames)[number];

/** The name of a hook whose event is taken from the payload's `hook_event_name`. */
export const anyHook = "handle";

/** The hook called `text`, in any of its spellings; null if unknown. */
export function findHookName(text: string): HookName | null {
  if (text === "precompact") return "pre-compact";
  return hookNames.find((name) => name === text) ?? null;
}

/** The hooks of git that Pommel listens to; `pm hook git-post-commit` is what post-commit runs, and so on. */
export const gitHookNames = ["post-commit", "post-rewrite", "pre-push"] as const;
export type GitHookName = (typeof gitHookNames)[number];

/** The fields of a hook's stdin that are stored, with the kind of each. All are optional: clients differ, and none is trusted. */
export const payloadKinds = {
  session_id: "session",
  transcript_path: "place",
  cwd: "place",
  hook_event_name: "id",
  prompt_id: "id",
  /** SessionStart: startup, resume, fork, compact or clear. */
  source: "id",
  /** PreCompact: manual or auto. */
  trigger: "id",
  /** SessionEnd: why the session ended. */
  reason: "id",
  agent_id: "id",
  agent_type: "id",
  agent_transcript_path: "place",
  tool_name: "id",
  tool_use_id: "id",
  /** Notification: what the client tells the person. */
  notification_type: "id",
} as const satisfies Record<string, OutsideKind>;

export type HookPayload = { -readonly [field in keyof typeof payloadKinds]?: string | undefined } & {
  /** Only the prompt's notes, scrubbed, one in each line. */
  prompt?: string | undefined;
};
