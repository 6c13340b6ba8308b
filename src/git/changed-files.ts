import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { GitFailure, readGitFields } from "./git.ts";

/**
 * Files of the working tree that differ from the last commit, including untracked ones, relative to the project's root.
 * @throws PommelError `usage` if git fails
 */
export async function listChangedFiles(project: Project): Promise<string[]> {
  const files: string[] = [];
  try {
    let prefix = "";
    for await (const line of readGitFields(project.root, ["rev-parse", "--show-prefix"]))
      prefix = line.trimEnd();
    const status = readGitFields(project.root, [
      "status",
      "--porcelain=v1",
      "-z",
      "--untracked-files=all",
      "--",
      ".",
    ]);
    let isOrigin = false;
    for await (const field of status) {
      // The old path follows a renamed or copied file.
      const path = isOrigin ? field : field.slice(3);
      if (path !== "") files.push(path.slice(prefix.length));
      isOrigin = !isOrigin && /^[RC]|^.[RC]/.test(field.slice(0, 2));
    }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    throw new PommelError(
      "usage",
      `git cannot list the changes: ${error.message.replace(/\.$/, "")}.`,
      "Name files with --files a,b",
    );
  }
  return files;
}
