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
}

/** A turn with all its messages and actions. */
export interface Turn {
  /** From 1; 0 holds what came before the first prompt. */
  number: number;
  branch: string | null;
  abandoned: boolean;
  lines: StoredLine[];
}

/**
 * What a call did: what its adapter said, or, of one that an older Pommel archived or another machine sent, what the shape
 * of its input says.
 */
export function actionOf(use: ToolUse): ToolAction {
  return toolActions.find((action) => action === use.action) ?? actionByInput(use);
}
