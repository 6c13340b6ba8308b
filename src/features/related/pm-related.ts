import { toStoredPaths } from "../../answers/file-place.ts";
import { exitCode } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { findRelated, type relatedRequest } from "./operation.ts";
import { wordRelated } from "./words.ts";

/** `pm code related` */
export async function relatedCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { files: named = [], ...options }: Shaped<typeof relatedRequest> & { files?: string[] },
): Promise<number> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const file = named.length > 0 ? toStoredPaths(project, cwd, named) : undefined;
  const found = await call(findRelated, { ...options, file, q: query }, project);
  const isEmpty = found.sessions.length + found.decisions.length === 0;
  output.result({ query, ...found }, () =>
    renderDocument(wordRelated(found, query, file !== undefined), { screen: output }),
  );
  return isEmpty && query !== "" ? exitCode.notFound : exitCode.ok;
}
