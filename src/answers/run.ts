import type * as z from "zod/mini";
import type { Project } from "../base/paths.ts";
import { answerAndAudit } from "./audit.ts";
import { answerThroughDoor } from "./door.ts";
import { openMemory, withMemory, withMemoryOrNote } from "./open.ts";
import type { Operation, RequestOf, ResponseOf, Running, Subject, Subjects } from "./operation.ts";

/**
 * Runs an operation in this process: on what a daemon keeps open here, else on what is opened for the one answer.
 * @param place null: it is about all projects
 * @throws PommelError as the operation, and the signal's reason once it is aborted
 */
export async function run<O extends Operation>(
  operation: O,
  place: Project | null,
  request: RequestOf<O>,
  how: Running = {},
): Promise<ResponseOf<O>> {
  how.signal?.throwIfAborted();
  const answer = () => answerIt(operation, place, request, how);
  // Operations on all projects ask each, and are recorded there.
  if (!operation.audited || place === null) return answer();
  const recorded = () => answerAndAudit(place, operation.name, request, answer);
  return operation.door === undefined ? recorded() : answerThroughDoor(operation.door, recorded);
}

/** Runs an operation on the daemon that this process is. @param place the directory that was named with the question */
export async function runInDaemon<O extends Operation>(
  operation: O,
  place: string | null,
  request: RequestOf<O>,
  how: Running = {},
): Promise<ResponseOf<O>> {
  const answer = await load(operation);
  return answer({ place }, request, how);
}

/**
 * Has another operation answer, about what the answer that asks has open: one feature knows of another its operations alone.
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
  how: Running = {},
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
  how: Running,
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

/** An operation's answer. That it fits the operation is checked where the operation is described. */
async function load<O extends Operation>(
  operation: O,
): Promise<(subject: object, request: RequestOf<O>, how: Running) => Promise<ResponseOf<O>>> {
  const answer = (await operation.answer()) as (
    subject: object,
    request: RequestOf<O>,
    how: Running,
  ) => ResponseOf<O> | Promise<ResponseOf<O>>;
  return async (...given) => answer(...given);
}
