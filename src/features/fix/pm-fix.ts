import { text } from "node:stream/consumers";
import { exitCode, PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { fix, type fixRequest } from "./operation.ts";
import { wordFix } from "./words.ts";

/** Only the end of what a command printed is sent: there it says what went wrong. Characters. */
const maxError = 100_000;

/** `pm fix`. @returns 5 when no agent met the error here */
export async function fixCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<Shaped<typeof fixRequest>, "error">,
): Promise<number> {
  const [option = ""] = words;
  if (words.length === 1 && /^--?[a-z][a-z-]*$/.test(option))
    throw new PommelError("usage", `Unknown option: ${option}.`, "`pm fix --help` lists them.");
  const project = await findProject(cwd);
  const given = words.length > 0 ? words.join(" ") : await text(process.stdin);
  const error = given.slice(-maxError);
  if (error.trim() === "") {
    throw new PommelError(
      "usage",
      "No error given.",
      "Pass it as an argument, or pipe it in: make 2>&1 | pm fix",
    );
  }
  const found = await call(fix, { ...options, error }, project);
  showAnswer(output, found, () => wordFix(found));
  for (const note of found.notes) output.note(output.colors.dim(note));
  return found.verdict === "none" ? exitCode.notFound : exitCode.ok;
}
