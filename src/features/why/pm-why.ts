import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { faint, line, makeDocument } from "../../answers/document.ts";
import { locate, parseLines, parsePlace } from "../../answers/file-place.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { type DocumentStyle, renderDocument } from "../../terminal/render-document.ts";
import { type WhyAnswer, why } from "./operation.ts";
import { suggestSteps, wordWhy } from "./words.ts";

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
  output.result(answer, () => renderWhy(answer, { full, screen: output, pageOf }));
}

/** The chain from lines to what they are there for, for a person. */
export function renderWhy(answer: WhyAnswer, style: DocumentStyle): string {
  const steps = suggestSteps(answer.origins);
  const next = steps.length > 0 && [line(faint(`Next: ${steps.join("; ")}`))];
  return renderDocument([...wordWhy(answer, "person"), ...makeDocument(next)], style);
}
