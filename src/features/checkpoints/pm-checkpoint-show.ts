import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { neutralizeControls } from "../../terminal/streams.ts";
import { streamGitDiff } from "./compare-checkpoints.ts";
import { compareCheckpoints, showCheckpoint } from "./operation.ts";
import { wordCheckpoint, wordSessionsBetween, wordSides } from "./words.ts";

/** `pm checkpoint show` */
export async function checkpointShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const project = await findProject(cwd);
  const answer = await call(showCheckpoint, { id: name }, project);
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  output.result(answer, () => renderDocument(wordCheckpoint(answer), { screen: output, pageOf }));
}

/** `pm checkpoint diff` */
export async function checkpointDiffCommand(
  { cwd, output }: CommandContext,
  from: string,
  to: string,
  { patch = false }: { patch?: boolean },
): Promise<void> {
  const project = await findProject(cwd);
  const answer = await call(compareCheckpoints, { from, to }, project);
  const sides = { from: answer.from.commit, to: answer.to.commit };
  const columns = output.columns ?? 100;
  const color = output.colors.isColorSupported;
  if (output.json) {
    const parts: Buffer[] = [];
    if (patch) {
      for await (const part of streamGitDiff(project, sides, { patch, color: false, columns }))
        parts.push(part);
    }
    output.result({ ...answer, ...(patch && { patch: Buffer.concat(parts).toString() }) }, "");
    return;
  }
  output.print(renderDocument(wordSides(answer), { screen: output }));
  output.print();
  // As git says it, and as it comes: it may be long. A pipe gets every byte, so that a patch can be applied.
  const decoder = new TextDecoder();
  for await (const part of streamGitDiff(project, sides, { patch, color, columns })) {
    const shown = process.stdout.isTTY
      ? neutralizeControls(decoder.decode(part, { stream: true }), color)
      : part;
    if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  const sessions = renderDocument(wordSessionsBetween(answer), { screen: output });
  if (sessions !== "") output.print(`\n${sessions}`);
}
