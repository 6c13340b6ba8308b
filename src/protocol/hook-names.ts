/**
 * The events of Claude Code that Pommel listens to, by the name of the command that it runs for each:
 * `pm hook pre-compact` for PreCompact.
 */
export const eventOfHook = {
  "pre-compact": "PreCompact",
  "user-prompt": "UserPromptSubmit",
  "session-start": "SessionStart",
  stop: "Stop",
  "post-tool-use": "PostToolUse",
  "session-end": "SessionEnd",
  "subagent-stop": "SubagentStop",
} as const;

export type HookName = keyof typeof eventOfHook;

export const hookNames = Object.keys(eventOfHook) as HookName[];

/** Leaves it to the payload's `hook_event_name` which hook it is. */
export const anyHook = "handle";

/** The hook that `text` names, in one of its spellings; null for none of ours. */
export function hookNamed(text: string): HookName | null {
  if (text === "precompact") return "pre-compact";
  return hookNames.find((name) => name === text) ?? null;
}

/** The hook of one of Claude Code's events; null for those that nobody listens to. */
export function hookOfEvent(event: unknown): HookName | null {
  return hookNames.find((name) => eventOfHook[name] === event) ?? null;
}
