import * as z from "zod/mini";
import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { call } from "../client/call.ts";
import { described, field } from "../protocol/shape-parts.ts";

/**
 * What agents' tools are made of. An answer is text alone: Claude Code hands its model the structure of an answer, where there is
 * one, as escaped JSON, and not a word of the text.
 */

export interface Tool {
  title: string;
  /** What it answers, and the moments to call it: a model that is told no moment does not call. */
  description: string;
  input: z.ZodMiniObject;
  /** Whether it leaves everything as it is. */
  isReading: boolean;
  /** The session that a call reads, which only its own project knows; null: none. */
  findSession: (args: object) => string | null;
  /** What an error advises for a shell, and what a client that has only tools calls instead. */
  instead: Readonly<Record<string, string>>;
  /** Loads its code: only a tool that is called costs anything. */
  load: () => Promise<Handler<z.ZodMiniObject>>;
}

/** Ties a tool's code to its input. */
export function defineTool<I extends z.ZodMiniObject>(
  given: Pick<Tool, "title" | "description"> &
    Partial<Pick<Tool, "isReading" | "findSession" | "instead">> & {
      input: I;
      load: () => Promise<Handler<I>>;
    },
): Tool {
  const { title, description, input, isReading = true, findSession = () => null, instead = {} } = given;
  // What it is called with has been parsed by its own `input`.
  const load = given.load as unknown as Tool["load"];
  return { title, description, input, isReading, findSession, instead, load };
}

/** A tool's code. @returns what the model reads */
export type Handler<I extends z.ZodMiniObject> = (args: z.infer<I>, context: CallContext) => Promise<string>;

/** @param fallback tokens of an answer when the caller does not say */
export const maxTokens = (fallback: number) =>
  z._default(described("the answer's length", z.int().check(z.minimum(200), z.maximum(20_000))), fallback);

export const limit = (max: number) => field(`1 to ${max}`, z.int().check(z.minimum(1), z.maximum(max)));

/** Answered by another project than the one where the server runs. */
export const project = field("another project's root or name", z.string());

/** A tool with this argument can search several projects at once. */
export const allProjects = field("this machine's other projects, too", z.boolean());

/** The project here, before all others; or the projects in a directory ("" for any); null: one project alone. */
type ProjectsHere = Project | { below: string } | null;

/** What a tool is called with, besides its arguments. */
export interface CallContext {
  project: Project;
  /** Where relative paths begin; in the project, or above several. */
  cwd: string;
  /** Where a search looks in several projects; null: in `project` alone, unless it asks for all. */
  across: ProjectsHere;
  /** The agent's session that asks, where the agent says. */
  ownSession: string | null;
  /** Aborted when the answer is no longer wanted. */
  signal: AbortSignal;
}

/** Where a search looks if in several projects; null: in one. */
export function resolveSearchScope(
  args: { all_projects?: boolean | undefined },
  { project, across }: CallContext,
): ProjectsHere {
  return across ?? (args.all_projects === true ? project : null);
}

/** The root of a result's project, for a reader who is in another one, or in none; else null. */
export function findOtherRoot(root: string, here: ProjectsHere, { project }: CallContext): string | null {
  return here !== null && "root" in here && root === project.root ? null : root;
}

/** Whether an id names the session that asks. */
export const isCurrent = (id: string): boolean => /^current(?::\d+)?$/.test(id);

/** "current" and "current:3" are the session that asks. @throws PommelError `usage` */
export function resolveCurrentId(id: string, { ownSession }: CallContext): string {
  if (!isCurrent(id)) return id;
  if (ownSession !== null) return id.replace("current", ownSession);
  throw new PommelError(
    "usage",
    "The current session is unknown: the client does not name it.",
    "recall without arguments says where work stopped.",
  );
}

/** Runs an operation on all projects, or those in a directory. */
export function askEverywhere<O extends Operation>(
  here: NonNullable<ProjectsHere>,
  operation: O,
  request: Omit<RequestOf<O>, "here" | "below">,
  { signal }: Pick<CallContext, "signal">,
): Promise<ResponseOf<O>> {
  const where = "root" in here ? { here: here.root } : here;
  return call(operation, { ...request, ...where } as RequestOf<O>, null, { signal });
}

/** Which projects could not be asked, and why. */
export const describeSkipped = (leftOut: readonly { project: string; reason: string }[]): string[] =>
  leftOut.map(({ project, reason }) => `${project} was skipped: ${reason}`);

/** Runs an operation for a tool. Errors as `call`. */
export async function ask<O extends Operation>(
  { project, signal }: Pick<CallContext, "project" | "signal">,
  operation: O,
  request: RequestOf<O>,
): Promise<ResponseOf<O>> {
  return call(operation, request, project, { signal });
}
