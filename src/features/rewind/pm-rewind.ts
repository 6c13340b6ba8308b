import { resolve } from "node:path";
import { faint, line } from "../../answers/document.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { rewind } from "./operation.ts";
import { wayBack, wordRewind } from "./words.ts";

interface RewindOptions {
  patch?: boolean;
  restore?: boolean;
  worktree?: string;
}

/** `pm checkpoint rewind` */
export async function rewindCommand(
  { cwd, output }: CommandContext,
  target: string,
  { patch, restore, worktree }: RewindOptions,
): Promise<void> {
  if (restore && worktree !== undefined) {
    throw new PommelError("usage", "Use either --restore or --worktree.", "Give one of them.");
  }
  const project = await findProject(cwd);
  const request = {
    target,
    patch,
    restore,
    ...(worktree !== undefined && { worktree: resolve(cwd, worktree) }),
  };
  const answer = await call(rewind, request, project);
  for (const note of answer.notes) output.note(output.colors.dim(note));
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  const isDone = answer.restored !== null || answer.worktree !== null;
  const next = isDone ? [] : [[line(faint(wayBack))]];
  output.result(answer, () => renderDocument([...wordRewind(answer), ...next], { screen: output, pageOf }));
}
