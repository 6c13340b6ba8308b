import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { PommelError } from "../../../project/errors.ts";
import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import { locate, parsePlace } from "../../../queries/blame/file-place.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import type { CommandContext } from "../../frame.ts";
import { commitPages } from "../../terminal/links.ts";
import { renderWhy } from "./view.ts";

interface WhyOptions {
  rev?: string;
  full?: boolean;
}

/** `pm why`: reads git and the memory itself, whether a daemon runs or not. */
export async function whyCommand(
  { cwd, output }: CommandContext,
  place: string,
  { rev, full = false }: WhyOptions,
): Promise<void> {
  const project = inWorktreeOf(findProject(cwd), cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const file = locate(project, cwd, named.file);
  const { lines } = named;
  if (lines === null) {
    throw new PommelError(
      "usage",
      "No line given.",
      `Give a line, pm why ${place}:12, or a range, ${place}:12-20.`,
    );
  }
  const request = { file, first_line: lines.first, last_line: lines.last, rev };
  const answer = await answerFromStore(project, "why", request);
  const pageOf = await commitPages(project.root, output.colors);
  output.result(answer, () => renderWhy(answer, { full, screen: output, pageOf }));
}
