import { call } from "../../../client/call.ts";
import { findProject, findProjectIfAny } from "../../../git/projects/find-project.ts";
import type { RequestOf } from "../../../protocol/routes.ts";
import { callNoted } from "../../call-noted.ts";
import type { CommandContext } from "../../frame.ts";
import { outlineOf } from "./outline.ts";
import { digestAsMarkdown, renderDigest } from "./render.ts";

interface Options extends Omit<RequestOf<"digest">, "by"> {
  by?: "branch" | "project";
  format: "text" | "markdown";
}

/** `pm digest` */
export async function digestCommand(
  { cwd, output }: CommandContext,
  { by, format, ...request }: Options,
): Promise<void> {
  const answer =
    by === "project"
      ? await everywhere(cwd, request, output)
      : await callNoted("digest", { ...request, by }, await findProject(cwd), output);
  const parts = answer.parts.map((part) => outlineOf(part, by)).filter(({ sections }) => sections.length > 0);
  output.result(answer, () =>
    format === "markdown" ? digestAsMarkdown(answer, parts) : renderDigest(answer, parts, output),
  );
}

async function everywhere(
  cwd: string,
  request: RequestOf<"digestEverywhere">,
  output: CommandContext["output"],
) {
  const { noteLeftOut } = await import("../search/across.ts");
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call("digestEverywhere", { ...request, here }, null);
  noteLeftOut(answer, output);
  return answer;
}
