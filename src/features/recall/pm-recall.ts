import { exitCode } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { recall, type recallRequest } from "./operation.ts";
import { wordRecall } from "./words.ts";

/** A terminal has room for more than an agent's request. Tokens. */
const maxTokens = 2000;

/** `pm recall`. @returns 5 when nothing is recorded about it */
export async function recallCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<Shaped<typeof recallRequest>, "about">,
): Promise<number> {
  const project = await findProject(cwd);
  const about = words.join(" ");
  const answer = await call(recall, { ...options, ...(about !== "" && { about }) }, project);
  output.result(answer, () => wordRecall(answer, maxTokens));
  const isNothing = answer.claims.length === 0 && answer.state === null && answer.read === null;
  return isNothing ? exitCode.notFound : exitCode.ok;
}
