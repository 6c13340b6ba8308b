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
