import type * as z from "zod/mini";
import { answer } from "../client/answer.ts";
import type { Project } from "../project/paths.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import type { OperationName } from "../queries/operations.ts";
import type { Output } from "./shapes/shape-parts.ts";

/** What a tool is called with, besides its arguments. */
export interface CallContext {
  project: Project;
  /** Where relative paths begin; in the project. */
  cwd: string;
  /** The agent's session that asks, where the agent says. */
  ownSession: string | null;
  /** Aborted when the answer is no longer wanted. */
  signal: AbortSignal;
}

/** Runs an operation for a tool. Errors as `answer`. */
export async function ask<R extends OperationName>(
  { project, signal }: Pick<CallContext, "project" | "signal">,
  operation: R,
  request: RequestOf<R>,
): Promise<ResponseOf<R>> {
  return (await answer(project, operation, request, { signal })).answer;
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
