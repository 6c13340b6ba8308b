import type { Document } from "../answers/document.ts";
import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import { exitCode } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { call } from "../client/call.ts";
import { findProject } from "../git/projects/find-project.ts";
import type { CommandAction } from "./frame.ts";
import { showAnswer } from "./render-document.ts";

interface ShownHere {
  project: Project;
  /** The directory in which the command was typed. */
  cwd: string;
}

interface Manner<Answer> {
  /** Whether the answer is empty: then the command exits with 5. */
  isNothing?: (answer: Answer) => boolean;
  /** Quotations are not cut. */
  full?: boolean;
}

/**
 * The code of a command that asks one operation about the project, and shows its answer.
 * @param toRequest from the command's arguments and options
 */
export const showOperation =
  <O extends Operation, Args extends unknown[]>(
    operation: O,
    word: (answer: ResponseOf<O>) => Document,
    toRequest: (here: ShownHere, ...args: Args) => RequestOf<O>,
    { isNothing, full = false }: Manner<ResponseOf<O>> = {},
  ): CommandAction<Args> =>
  async ({ cwd, output }, ...args) => {
    const project = await findProject(cwd);
    const answer = await call(operation, toRequest({ project, cwd }, ...args), project);
    showAnswer(output, answer, () => word(answer), { full });
    return isNothing?.(answer) ? exitCode.notFound : exitCode.ok;
  };
