import { toStoredPaths } from "../../answers/file-place.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { type decisionsRequest, listDecisions } from "./operation.ts";
import { wordDecisions } from "./words.ts";

/** `pm memory decisions` */
export async function decisionsCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Shaped<typeof decisionsRequest>,
): Promise<void> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const request = { ...options, q: query, file: toStoredPaths(project, cwd, options.file ?? []) };
  const found = await call(listDecisions, request, project);
  output.result({ query, ...found }, () =>
    renderDocument(wordDecisions(found, "person"), { screen: output }),
  );
}
