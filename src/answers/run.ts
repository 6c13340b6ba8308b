import type * as z from "zod/mini";
import type { Project } from "../base/paths.ts";
import { answerAndAudit } from "./audit.ts";
import { answerThroughChannel } from "./channel.ts";
import { openMemory, withMemory, withMemoryOrNote } from "./open.ts";
import type { Operation, RequestOf, ResponseOf, RunContext, Subject, Subjects } from "./operation.ts";

/**
 * Runs an operation in this process. In a daemon it uses what the daemon has open; elsewhere it opens what it needs.
 * @param place null: the operation is about all projects
 * @throws PommelError as the operation does, and the signal's reason once the signal is aborted
 */
export async function run<O extends Operation>(
  operation: O,
  place: Project | null,
  request: RequestOf<O>,
  how: RunContext = {},
): Promise<ResponseOf<O>> {
  how.signal?.throwIfAborted();
  const answer = () => answerIt(operation, place, request, how);
  // Operations on all projects ask each, and are recorded there.
  if (!operation.audited || place === null) return answer();
  const recorded = () => answerAndAudit(place, operation.name, request, answer);
  return operation.channel === undefined ? recorded() : answerThroughChannel(operation.channel, recorded);
}

/** Runs an operation on the daemon, which must be this process. @param place the directory that the request named */
export async function runInDaemon<O extends Operation>(
  operation: O,
  place: string | null,
  request: RequestOf<O>,
  how: RunContext = {},
): Promise<ResponseOf<O>> {
  const answer = await load(operation);
  return answer({ place }, request, how);
}

/**
 * Runs another feature's operation on the subject that the caller has open. Features use each other only through operations.
 * @param subject what the operation is about
 */
export async function answerAbout<
  Name extends string,
  Of extends Subject,
  Q extends z.ZodMiniObject,
  S extends z.ZodMiniObject,
>(
  operation: Operation<Name, Of, Q, S>,
  subject: Subjects[Of],
  request: z.infer<Q>,
  how: RunContext = {},
): Promise<z.infer<S>> {
  const answer = await load(operation as Operation);
  return answer(subject, request as never, how) as Promise<z.infer<S>>;
}

/** Whether only a daemon can answer. */
export const needsDaemon = ({ of }: Operation): boolean => of === "daemon" || of === "recording";

async function answerIt<O extends Operation>(
  operation: O,
  place: Project | null,
  request: RequestOf<O>,
  how: RunContext,
): Promise<ResponseOf<O>> {
  const answer = await load(operation);
  if (operation.of === "machine") return answer({}, request, how);
  if (place === null) throw new Error(`${operation.name} is about a project`);
  return openSubject(operation.of, place, (subject) => answer(subject, request, how));
}

/** Opens what an operation is about, for one answer. */
async function openSubject<A extends object>(
  of: Exclude<Subject, "machine">,
  project: Project,
  answer: (subject: Subjects[Subject]) => A | Promise<A>,
): Promise<A> {
  switch (of) {
    case "memory":
      return withMemory(project, (memory) => answer({ project, memory }));
    case "memory, if any":
      return withMemoryOrNote(project, (memory) => answer({ project, memory }));
    case "recording": {
      const work = openMemory(project);
      if (work === null) throw new Error("sessions are recorded by a daemon");
      try {
        return await answer({ work });
      } catch (error) {
        work.suspect(error);
        throw error;
      }
    }
    case "project":
    case "code":
      return answer({ project });
    case "daemon":
      throw new Error("the daemon is no project");
  }
}

/** Loads an operation's answer. `defineOperation` has checked that its types fit. */
async function load<O extends Operation>(
  operation: O,
): Promise<(subject: object, request: RequestOf<O>, how: RunContext) => Promise<ResponseOf<O>>> {
  const answer = (await operation.answer()) as (
    subject: object,
    request: RequestOf<O>,
    how: RunContext,
  ) => ResponseOf<O> | Promise<ResponseOf<O>>;
  return async (...given) => answer(...given);
}
