import type * as z from "zod/mini";
import { call } from "../client/call.ts";
import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import type { Output } from "./shapes/shape-parts.ts";

/** The project here, before all others; or the projects in a directory ("" for any); null: one project alone. */
type Here = Project | { below: string } | null;

/** What a tool is called with, besides its arguments. */
export interface CallContext {
  project: Project;
  /** Where relative paths begin; in the project, or above several. */
  cwd: string;
  /** Where a search looks in several projects; null: in `project` alone, unless it asks for all. */
  across: Here;
  /** The agent's session that asks, where the agent says. */
  ownSession: string | null;
  /** Aborted when the answer is no longer wanted. */
  signal: AbortSignal;
}

/** Where a search looks if in several projects; null: in one. */
export function acrossOf(
  args: { all_projects?: boolean | undefined },
  { project, across }: CallContext,
): Here {
  return across ?? (args.all_projects === true ? project : null);
}

/** The root of a result's project, for a reader who is in another one, or in none; else null. */
export function otherProject(root: string, here: Here, { project }: CallContext): string | null {
  return here !== null && "root" in here && root === project.root ? null : root;
}

/** Runs an operation on all projects, or those in a directory. */
export function askEverywhere<R extends "searchEverywhere" | "sessionsEverywhere">(
  here: NonNullable<Here>,
  operation: R,
  request: Omit<RequestOf<R>, "here" | "below">,
  { signal }: Pick<CallContext, "signal">,
): Promise<ResponseOf<R>> {
  const where = "root" in here ? { here: here.root } : here;
  return call(operation, { ...request, ...where } as RequestOf<R>, null, { signal });
}

/** Which projects could not be asked, and why. */
export const skippedNotes = (leftOut: ResponseOf<"searchEverywhere">["left_out"]): string[] =>
  leftOut.map(({ project, reason }) => `${project} was skipped: ${reason}`);

/** Runs an operation for a tool. Errors as `call`. */
export async function ask<R extends RouteName>(
  { project, signal }: Pick<CallContext, "project" | "signal">,
  operation: R,
  request: RequestOf<R>,
): Promise<ResponseOf<R>> {
  return call(operation, request, project, { signal });
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
