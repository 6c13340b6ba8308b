import * as z from "zod/mini";
import type { Operation, RequestOf, ResponseOf } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import type { searchEverywhere, searchEverywhereResponse } from "../../features/search/operation.ts";
import type { sessionsEverywhere } from "../../features/sessions/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { described, field } from "../../protocol/shape-parts.ts";

/**
 * What the tools have in common. An answer is text alone: Claude Code hands its model the structure of an answer, where there is
 * one, as escaped JSON, and not a word of the text.
 */

/** @param fallback tokens of an answer when the caller does not say */
export const maxTokens = (fallback: number) =>
  z._default(
    described("about how long the answer is", z.int().check(z.minimum(200), z.maximum(20_000))),
    fallback,
  );

export const limit = (max: number) => field(`1 to ${max}`, z.int().check(z.minimum(1), z.maximum(max)));

/** Answered by another project than the one where the server runs. */
export const project = field("another project's root or name", z.string());

export const allProjects = field("search this machine's other projects, too", z.boolean());

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
export function resolveSearchScope(
  args: { all_projects?: boolean | undefined },
  { project, across }: CallContext,
): Here {
  return across ?? (args.all_projects === true ? project : null);
}

/** The root of a result's project, for a reader who is in another one, or in none; else null. */
export function findOtherRoot(root: string, here: Here, { project }: CallContext): string | null {
  return here !== null && "root" in here && root === project.root ? null : root;
}

/** Runs an operation on all projects, or those in a directory. */
export function askEverywhere<O extends typeof searchEverywhere | typeof sessionsEverywhere>(
  here: NonNullable<Here>,
  operation: O,
  request: Omit<RequestOf<O>, "here" | "below">,
  { signal }: Pick<CallContext, "signal">,
): Promise<ResponseOf<O>> {
  const where = "root" in here ? { here: here.root } : here;
  return call(operation, { ...request, ...where } as RequestOf<O>, null, { signal });
}

/** Which projects could not be asked, and why. */
export const describeSkipped = (leftOut: Shaped<typeof searchEverywhereResponse>["left_out"]): string[] =>
  leftOut.map(({ project, reason }) => `${project} was skipped: ${reason}`);

/** Runs an operation for a tool. Errors as `call`. */
export async function ask<O extends Operation>(
  { project, signal }: Pick<CallContext, "project" | "signal">,
  operation: O,
  request: RequestOf<O>,
): Promise<ResponseOf<O>> {
  return call(operation, request, project, { signal });
}

/** A tool's code. @returns what the model reads */
export type Handler<I extends z.ZodMiniObject> = (args: z.infer<I>, context: CallContext) => Promise<string>;
