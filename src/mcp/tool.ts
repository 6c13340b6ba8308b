import type * as z from "zod/mini";
import type { Project } from "../project/paths.ts";
import type { Output } from "./shapes/shape-parts.ts";

/** What a tool is called with, besides its arguments. */
export interface CallContext {
  project: Project;
  /** Where relative paths begin; in the project. */
  cwd: string;
  /** The agent's session that asks, where the agent says. */
  ownSession: string | null;
  /** Aborted when nobody wants the answer any more. */
  signal: AbortSignal;
}

/** What a tool answers: the same twice, as some clients show a model the text, and others the structure. */
export interface ToolAnswer<T> {
  text: string;
  structured: T;
}

/** A tool's code. */
export type Handler<I extends z.ZodMiniType, O extends Output> = (
  args: z.infer<I>,
  context: CallContext,
) => Promise<ToolAnswer<O>>;
