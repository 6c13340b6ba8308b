import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { readFileText, writeFileText } from "../../base/files/text-file.ts";
import { GitFailure, readGitFields, readGitText } from "../git.ts";
import { toRootRelative } from "./place.ts";
import { findBlock, withoutBlock } from "./script.ts";

/**
 * Keeps the user's own files out of `git status` with lines in `.git/info/exclude`, which is never committed. The lines
 * are at its beginning, so that removing them restores it byte for byte.
 */

const head = "Your own files for Pommel. `pm disable` removes these lines.";

interface ExcludeFile {
  path: string;
  /** The project's path in its repository; "" at the top. */
  within: string;
}

/**
 * Excludes those files that git would show as untracked.
 * @param files relative to the project's root
 * @returns the changed file, relative to the project's root; null when nothing changed
 * @throws PommelError `unreadable`, `disk_full`
 */
export async function hideFromGit(root: string, files: readonly string[]): Promise<string | null> {
  const place = await locateExcludeFile(root);
  if (place === null || files.length === 0) return null;
  const shown = await list(root, ["--others", "--exclude-standard"], files);
  if (shown.length === 0) return null;
  const before = readFileText(place.path);
  const text = before?.body ?? "";
  const found = findBlock(text, place, place.path);
  const hidden =
    found === null
      ? []
      : text
          .slice(...found)
          .split("\n")
          .filter((line) => line.startsWith("/"));
  const prefix = place.within === "" ? "/" : `/${place.within}/`;
  const lines = [...new Set([...hidden, ...shown.map((file) => prefix + escapeRegExp(file))])];
  const name = place.within === "" ? "pommel" : `pommel ${encodeURI(place.within)}`;
  const block = [`# >>> ${name} >>> ${head}`, ...lines, `# <<< ${name} <<<`, ""].join("\n");
  const rest = withoutBlock(text, place.within, place.path);
  writeFileText(place.path, { body: block + rest, hasBom: before?.hasBom ?? false });
  return toRootRelative({ root }, place.path);
}

/**
 * Removes the lines of `hideFromGit`.
 * @returns as `hideFromGit`
 * @throws PommelError `unreadable`, `disk_full`, `settings_invalid` when the block has no end
 */
export async function unhideFromGit(root: string): Promise<string | null> {
  const place = await locateExcludeFile(root);
  const before = place === null ? null : readFileText(place.path);
  if (place === null || before === null) return null;
  const body = withoutBlock(before.body, place.within, place.path);
  if (body === before.body) return null;
  if (body === "") rmSync(place.path);
  else writeFileText(place.path, { ...before, body });
  return toRootRelative({ root }, place.path);
}

/** The files that git tracks: additions to them would be committed. */
export async function listTracked(root: string, files: readonly string[]): Promise<string[]> {
  if (files.length === 0 || (await locateExcludeFile(root)) === null) return [];
  return list(root, [], files);
}

/** null without git, or outside of a repository. */
async function locateExcludeFile(root: string): Promise<ExcludeFile | null> {
  try {
    const within = (await readGitText(root, ["rev-parse", "--show-prefix"])).replace(/\/$/, "");
    const path = await readGitText(root, ["rev-parse", "--git-path", "info/exclude"]);
    return { path: resolve(root, path), within };
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

async function list(root: string, options: readonly string[], files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const args = ["--literal-pathspecs", "ls-files", "-z", ...options, "--", ...files];
  for await (const file of readGitFields(root, args)) found.push(file);
  return found;
}

/** A pattern that matches only this file. */
function escapeRegExp(file: string): string {
  return file.replace(/[\\*?[\] ]/g, "\\$&");
}
