import { wordAsMarkdown } from "../../answers/word-as-markdown.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { callNoted } from "../../terminal/call-noted.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { noteLeftOut } from "../../terminal/left-out.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { toHomeRelative } from "../../terminal/text.ts";
import { digestEverywhere, type digestRequest, sumUp } from "./operation.ts";
import { wordDigest } from "./words.ts";

interface DigestOptions extends Omit<Shaped<typeof digestRequest>, "by"> {
  by?: "branch" | "project";
  format: "text" | "markdown";
}

/** `pm digest` */
export async function digestCommand(
  { cwd, output }: CommandContext,
  { by, format, ...request }: DigestOptions,
): Promise<void> {
  const answer =
    by === "project"
      ? await sumUpAllProjects(cwd, request, output)
      : await callNoted(sumUp, { ...request, by }, await findProject(cwd), output);
  output.result(answer, () => {
    const document = wordDigest(answer, by ?? null, toHomeRelative);
    return format === "markdown"
      ? wordAsMarkdown(document, () => null)
      : renderDocument(document, { screen: output });
  });
}

async function sumUpAllProjects(
  cwd: string,
  request: Omit<DigestOptions, "by" | "format">,
  output: CommandContext["output"],
) {
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call(digestEverywhere, { ...request, here }, null);
  noteLeftOut(answer, output);
  return answer;
}
