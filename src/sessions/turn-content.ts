import { type Entry, type ToolAction, type ToolUse, toolActions } from "../agents/agent.ts";
import { actionByInput } from "../agents/reading/tool-calls.ts";

/** A line as it is archived: scrubbed, with its order in the session. */
export interface StoredLine {
  uid: string | null;
  seq: number;
  at: number | null;
  entries: Entry[];
  /** The model's name, for lines of an agent's message. */
  model?: string;
  /** Where the agent was, if not where the session was launched. */
  cwd?: string;
}

/** A turn with all its messages and actions. */
export interface Turn {
  /** From 1; 0 holds everything before the first prompt. */
  number: number;
  branch: string | null;
  abandoned: boolean;
  lines: StoredLine[];
}

/**
 * A call's action: from its adapter, or, for a call archived by an older Pommel or sent by another machine, from the
 * shape of its input.
 */
export function actionOf(use: ToolUse): ToolAction {
  return toolActions.find((action) => action === use.action) ?? actionByInput(use);
}
