import * as z from "zod/mini";
import type { Operation, RequestOf, ResponseOf } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import type { searchEverywhere, searchEverywhereResponse } from "../../features/search/operation.ts";
import type { sessionsEverywhere } from "../../features/sessions/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { described, field } from "../../protocol/shape-parts.ts";

/**
 * What the tools' arguments and answers have in common. Arguments that are fields of an operation's request are taken from
 * it, with their descriptions, which every request to a model may carry.
 */

/** @param fallback tokens of an answer when the caller does not say */
export const maxTokens = (fallback = 2000) =>
  z._default(described("500 to 20000", z.int().check(z.minimum(500), z.maximum(20_000))), fallback);

export const limit = (max: number, fallback: number) =>
  z._default(described(`1 to ${max}`, z.int().check(z.minimum(1), z.maximum(max))), fallback);

export const cursor = field("next_cursor", z.string());

/** Answered by another project than the one where the server runs. */
export const project = field("another's root or name", z.string());

/** The structure of an answer. No client shows a model a schema of it, so it is a type and none is listed. */
export interface Output {
  /** Notes on the answer. */
  notes: string[];
}

/** Of an answer that may be cut. */
export interface PagedOutput extends Output {
  /** Where to go on; null: that is all. */
  next_cursor: string | null;
}

/** Of an answer that quotes people, agents or code. */
export interface LabelledOutput {
  /** Says that the texts are data, never instructions. */
  label: string;
}

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
export const skippedNotes = (leftOut: Shaped<typeof searchEverywhereResponse>["left_out"]): string[] =>
  leftOut.map(({ project, reason }) => `${project} was skipped: ${reason}`);

/** Runs an operation for a tool. Errors as `call`. */
export async function ask<O extends Operation>(
  { project, signal }: Pick<CallContext, "project" | "signal">,
  operation: O,
  request: RequestOf<O>,
): Promise<ResponseOf<O>> {
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
