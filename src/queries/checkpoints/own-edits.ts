import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setups } from "../../agents/registry.ts";
import { isBlankObject } from "../../agents/setup/json-entry.ts";
import {
  inOrderToTake,
  keyOf,
  partState,
  putPart,
  takePart,
  textWithoutOurs,
} from "../../agents/setup/parts.ts";
import { projectPlace, putBack, switchOff } from "../../agents/setup/record.ts";
import { GitFailure, gitBuffer, plain } from "../../git/git.ts";
import { installGitHooks } from "../../git/hooks/install.ts";
import { hooksPlace } from "../../git/hooks/place.ts";
import { removeGitHooks } from "../../git/hooks/remove.ts";
import { withoutBlock } from "../../git/hooks/script.ts";
import { uncommitted } from "../../git/rewind/obstacles.ts";
import type { WorkingTree } from "../../git/rewind.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { gitHookNames } from "../../protocol/hooks.ts";

/**
 * Does something to the working tree that wants it clean: what Pommel added to files that git tracks is taken out
 * before, if it is all that differs in them, and put back after. A process that is killed in between leaves what
 * `pm disable` would; `pm enable` puts it back.
 * @returns also whether there was such a file
 */
export async function withoutOwnEdits<T>(
  project: Project,
  { top, isBare, head }: WorkingTree,
  commit: string,
  work: () => Promise<T>,
): Promise<{ result: T; wasAside: boolean }> {
  if (isBare || head === null) {
    return { result: await work(), wasAside: false };
  }
  const place = projectPlace(project);
  const dirty = await uncommitted(top);
  const changed = new Set(dirty.filter(({ isStaged }) => !isStaged).map(({ path }) => path));
  const staged = new Set(dirty.filter(({ isStaged }) => isStaged).map(({ path }) => path));
  const nameInGit = (path: string) => relative(top, path).split(sep).join("/");
  const aside: { part: ReturnType<typeof inOrderToTake>[number]; path: string }[] = [];
  for (const part of inOrderToTake(place, setups)) {
    const { file } = partState(place, ...part);
    const path = file === null ? null : join(place.dir, file);
    if (path === null || staged.has(nameInGit(path))) continue;
    const isOurs = await isOnlyOurs(top, nameInGit(path), changed, commit, () =>
      textWithoutOurs(place, setups, path),
    );
    if (isOurs) aside.push({ part, path });
  }
  const hooks = await haveOwnHooks(project, top, changed);
  if (aside.length === 0 && !hooks) return { result: await work(), wasAside: false };
  if (aside.length > 0)
    switchOff(
      place,
      aside.map(({ part }) => keyOf(...part)),
    );
  try {
    for (const { part } of aside) takePart(place, ...part);
    if (hooks) await removeGitHooks(project);
    return { result: await work(), wasAside: true };
  } finally {
    for (const { part, path } of aside.toReversed()) putPart(place, ...part, path);
    if (aside.length > 0) putBack(place);
    if (hooks) await installGitHooks(project);
  }
}

/** Whether a file, without ours, is as it was committed; or is not in git, and would be overwritten. */
async function isOnlyOurs(
  top: string,
  name: string,
  changed: ReadonlySet<string>,
  commit: string,
  bare: () => string | null,
): Promise<boolean> {
  try {
    const committed = await contentOf(top, "HEAD", name);
    if (committed !== null) return changed.has(name) && bare() === committed;
    return (await contentOf(top, commit, name)) !== null && isBlankObject(bare() ?? "not there");
  } catch (error) {
    // Then it is an obstacle like any other.
    if (error instanceof PommelError) return false;
    throw error;
  }
}

/** A file of a commit as a checkout writes it; null if the commit lacks it. */
async function contentOf(top: string, revision: string, name: string): Promise<string | null> {
  try {
    const args = [...plain, "cat-file", "--filters", `--path=${name}`, `${revision}:${name}`];
    return (await gitBuffer(top, args)).toString();
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** Whether git hooks inside the working tree (husky's, say) differ only by our lines. */
async function haveOwnHooks(project: Project, top: string, changed: ReadonlySet<string>): Promise<boolean> {
  const place = await hooksPlace(project.root);
  if (place.state !== "found") return false;
  const paths = gitHookNames.map((hook) => join(place.dir, hook));
  const named = paths.map((path) => ({ path, name: relative(top, path).split(sep).join("/") }));
  const dirty = named.filter(({ name }) => changed.has(name));
  for (const { path, name } of dirty) {
    const text = readFileSync(path, "latin1");
    const committed = await contentOf(top, "HEAD", name);
    const bare = Buffer.from(withoutBlock(text, place.within, path), "latin1").toString();
    if (committed === null || bare !== committed) return false;
  }
  return dirty.length > 0;
}
