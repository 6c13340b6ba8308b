import { toStoredPaths } from "../../answers/file-place.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { sumByEntry } from "../../protocol/reading/sum-shares.ts";
import type { Output } from "../../terminal/output.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { showStats } from "../stats/operation.ts";
import { wordBlamedDirectory } from "./words.ts";

/** `pm blame` of a directory: who wrote the lines that commits added to what lies in it. */
export async function blameDirectory(
  project: Project,
  cwd: string,
  directory: string,
  output: Output,
): Promise<void> {
  const [path = "**"] = toStoredPaths(project, cwd, [directory]);
  const isWhole = path === "**";
  const request = { path: isWhole ? [] : [path], files: true };
  const { by_file = [], total, commits, notes } = await call(showStats, request, project);
  const entries = sumByEntry(by_file, isWhole ? "" : `${path.replace(/\/+(?:\*\*)?$/, "")}/`);
  const shown = { directory: isWhole ? "." : path, total, entries, notes };
  const named = { ...shown, root: project.root };
  showAnswer(output, { ...shown, commits }, () => wordBlamedDirectory(named));
}
