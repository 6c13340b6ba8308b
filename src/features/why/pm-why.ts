import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { locate, parseLines, parsePlace } from "../../answers/file-place.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { why } from "./operation.ts";
import { wordWhyWithSteps } from "./words.ts";

/** More lines than any file has. */
const maxFileLines = 2 ** 31 - 1;

interface WhyOptions {
  rev?: string;
  full?: boolean;
}

/** `pm why` */
export async function whyCommand(
  { cwd, output }: CommandContext,
  place: string,
  range: string | undefined,
  { rev, full = false }: WhyOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const file = locate(project, cwd, named.file);
  const lines = named.lines ?? (range === undefined ? null : parseLines(range));
  // Without any, the whole file.
  const last = lines === null || lines.last === Number.POSITIVE_INFINITY ? maxFileLines : lines.last;
  const request = { file, first_line: lines?.first ?? 1, last_line: last, rev };
  const answer = await call(why, request, project);
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  output.result(answer, () => renderDocument(wordWhyWithSteps(answer), { full, screen: output, pageOf }));
}
