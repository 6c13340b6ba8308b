import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf } from "../../project/errors.ts";
import { GitFailure, gitBuffer, gitBytes, gitText } from "../git.ts";
import { gitDirectoryOf } from "../git-dir.ts";
import { linesOf } from "../output-lines.ts";
import { plain, plainDiff, plainEnvironment } from "../plain.ts";
import type { ChangedFile } from "./changes-types.ts";
import { maxLineLength, parsePatch } from "./parse-patch.ts";

/** Two states of the files, or what a commit did. Revisions as git takes them. */
export type WhatChanged = { commit: string } | { from: string; to: string | null };

export interface ChangesOptions {
  signal?: AbortSignal | undefined;
  /** Only what lies at or below these, from `dir`. A file that was renamed to one of them counts as new. */
  paths?: readonly string[] | undefined;
}

/**
 * What a commit changed, compared with its parent, or what is different between two; `to: null` is the working tree, of
 * which untracked files are no part. Of a merge what none of its parents has. Of the root of history, everything; of a
 * commit where history was cut off (a shallow clone), nothing, as nobody knows.
 *
 * Copies are new files, as they are to git blame. Files come one by one, so that memory holds the names of a commit's
 * files and the lines of one of them.
 * @param dir a working tree or a directory in it; what lies outside of it is left out
 * @throws GitFailure
 */
export async function* changesOf(
  dir: string,
  what: WhatChanged,
  { signal, paths }: ChangesOptions = {},
): AsyncGenerator<ChangedFile, void, undefined> {
  if (paths?.length === 0) return;
  const { prefix, cutOff } = await placeOf(dir, signal);
  if ("commit" in what && cutOff.size > 0 && cutOff.has(await hashOf(dir, what.commit, signal))) return;
  const within = paths ?? (prefix === "" ? [] : ["."]);
  const args = [...plain, ...commandFor(what), ...plainDiff, "--", ...within];
  const lines = linesOf(gitBytes(dir, args, { signal, env: plainEnvironment }), maxLineLength);
  for await (const file of parsePatch(lines)) {
    if (!file.path.startsWith(prefix)) continue;
    const { oldPath } = file;
    yield {
      ...file,
      path: file.path.slice(prefix.length),
      oldPath: oldPath?.startsWith(prefix) ? oldPath.slice(prefix.length) : null,
    };
  }
}

/**
 * What a file was called before a commit renamed it, or before it was renamed in the working tree; null where it was not,
 * or lay outside of `dir`. Compares all files that changed, but not line by line.
 * @throws GitFailure
 */
export async function nameBefore(
  dir: string,
  what: WhatChanged,
  path: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const { prefix } = await placeOf(dir, signal);
  const args = [
    ...plain,
    ...commandFor(what, ["--name-status", "-z"]),
    ...plainDiff,
    "--diff-filter=R",
    "--",
  ];
  const bytes = await gitBuffer(dir, args, { signal, env: plainEnvironment });
  const fields = bytes.toString().split("\0");
  const at = fields.findIndex((name, i) => name === prefix + path && /^R\d+$/.test(fields[i - 2] ?? ""));
  const before = fields[at - 1];
  return before?.startsWith(prefix) ? before.slice(prefix.length) : null;
}

function commandFor(what: WhatChanged, shown = ["--raw", "-p", "-U0"]): string[] {
  if ("commit" in what) {
    return ["diff-tree", "-r", "-c", "--root", "--no-commit-id", ...shown, asRevision(what.commit)];
  }
  const { from, to } = what;
  if (to === null) return ["diff", ...shown, asRevision(from)];
  return ["diff-tree", "-r", ...shown, asRevision(from), asRevision(to)];
}

function asRevision(name: string): string {
  if (name === "" || name.startsWith("-"))
    throw new GitFailure("failed", `${JSON.stringify(name)} is not a revision`);
  return name;
}

function hashOf(dir: string, revision: string, signal?: AbortSignal): Promise<string> {
  return gitText(dir, ["rev-parse", "--verify", "--quiet", `${asRevision(revision)}^{commit}`], signal);
}

/** Where a directory of no working tree lies (a bare repository's) is asked again after so long. Milliseconds. */
const placeMs = 30_000;
/** Where directories lie is asked once, not for each of a thousand commits: `gitDir` says that they still do. */
const places = new Map<string, { gitDir: string | null; prefix: string; shallow: string; until: number }>();

/**
 * Where `dir` lies in its working tree ("" for its top, else a path that ends with a slash), and the commits whose parents a
 * shallow clone lacks.
 */
export async function placeOf(
  dir: string,
  signal?: AbortSignal,
): Promise<{ prefix: string; cutOff: ReadonlySet<string> }> {
  const gitDir = gitDirectoryOf(dir);
  let place = places.get(dir);
  if (place === undefined || place.gitDir !== gitDir || place.until < Date.now()) {
    const text = await gitText(dir, ["rev-parse", "--show-prefix", "--git-path", "shallow"], signal);
    const end = text.lastIndexOf("\n");
    place = {
      gitDir,
      prefix: text.slice(0, Math.max(0, end)),
      shallow: resolve(dir, text.slice(end + 1)),
      until: gitDir === null ? Date.now() + placeMs : Infinity,
    };
    if (places.size > 100) places.clear();
    places.set(dir, place);
  }
  return { prefix: place.prefix, cutOff: hashesIn(place.shallow) };
}

function hashesIn(file: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(file, "utf8").split("\n").filter(Boolean));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return new Set();
    throw error;
  }
}
