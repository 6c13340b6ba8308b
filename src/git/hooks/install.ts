import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "../../project/paths.ts";
import { type GitHookName, gitHookNames } from "../../protocol/git-hook-names.ts";
import {
  type HookFile,
  keepHook,
  keptName,
  newMode,
  readHook,
  removeEmpty,
  removeHook,
  restoreHook,
  writeHook,
} from "./hook-file.ts";
import { readRecord, writeRecord } from "./install-record.ts";
import { withHooksLock } from "./lock.ts";
import { type FoundPlace, fromRoot, hooksPlace } from "./place.ts";
import {
  blockOf,
  findBlock,
  isShellScript,
  placeInScript,
  stub,
  type Wrapper,
  wrapperFor,
} from "./script.ts";
import { keptByWrapper, withoutBlock } from "./take-out.ts";

interface InstalledHook {
  hook: GitHookName;
  /** From the project's root, with slashes. */
  file: string;
  outcome: "created" | "changed" | "already";
}

/** What became of installing: the hooks, or why nothing was done. */
export type InstalledGitHooks =
  /** `dir` is from the project's root, with slashes. */
  | { state: "installed"; dir: string; hooks: InstalledHook[] }
  | { state: "none" | "shared"; dir: string | null; reason: string };

/** One hook's change: thought through before anything is done, and undone when another one fails. */
interface Change extends InstalledHook {
  /** Its last line gets an end. */
  ends: boolean;
  apply(): void;
  undo(): void;
}

/**
 * Adds our lines to the hooks of the project's repository, where git looks for them: all or none. What is there goes on
 * as before, and what cannot hold our lines (a program, a link) is kept under another name and run by a hook in its
 * place.
 * @throws PommelError `unreadable`, `disk_full`, `settings_invalid` when our lines in a hook were cut apart
 */
export async function installGitHooks(project: Project): Promise<InstalledGitHooks> {
  const place = await hooksPlace(project.root);
  if (place.state !== "found") return place;
  const missing = missingDirs(place.dir);
  const done: Change[] = [];
  try {
    await withHooksLock(place.dir, true, () => {
      const changes = gitHookNames.map((hook) => changeFor(project, place, hook));
      for (const change of changes) {
        change.apply();
        done.push(change);
      }
      remember(project, place, missing, done);
    });
  } catch (error) {
    for (const change of done.reverse()) change.undo();
    for (const dir of missing.reverse()) removeEmpty(dir);
    throw error;
  }
  const hooks = done.map(({ hook, file, outcome }) => ({ hook, file, outcome }));
  return { state: "installed", dir: fromRoot(project, place.dir), hooks };
}

/** The directories that are made with `dir`, a parent first. */
function missingDirs(dir: string): string[] {
  return existsSync(dir) ? [] : [...missingDirs(dirname(dir)), dir];
}

function changeFor(project: Project, place: FoundPlace, hook: GitHookName): Change {
  const path = join(place.dir, hook);
  const block = blockOf({ hook, within: place.within });
  const before = readHook(path);
  const change = (outcome: Change["outcome"], text: string, mode: number): Change => ({
    hook,
    file: fromRoot(project, path),
    outcome,
    ends: needsEnd(before?.text ?? ""),
    apply: () => {
      if (outcome !== "already") writeHook(path, text, mode, before?.stat ?? null);
    },
    undo: () => {
      if (outcome === "created") removeHook(path);
      else if (outcome === "changed") writeHook(path, before!.text!, before!.stat.mode, before!.stat);
    },
  });
  if (before === null) return change("created", stub + block, newMode());
  const isRun = before.isExecutable || place.runner === "husky";
  const ours = isRun ? null : madeByUs(before, place.within, path);
  if (ours !== null) return change("changed", ours.head + block + ours.tail, before.stat.mode | newMode());
  if (isRun && !before.isLink && (isShellScript(before.text!) || place.runner === "husky")) {
    const text = updated(before.text!, block, place.within, path);
    return change(text === before.text ? "already" : "changed", text, before.stat.mode);
  }
  return wrap(project, { path, hook, block, before });
}

/** What stands before our lines in a hook that we made, and after; null for other hooks. */
function madeByUs(before: HookFile, within: string, path: string): Wrapper | null {
  if (before.isLink || before.text === null) return null;
  const bare = withoutBlock(before.text, within, path);
  if (bare === stub) return { head: stub, tail: "" };
  const kept = keptByWrapper(bare);
  return kept === null ? null : wrapperFor(kept);
}

/** Our lines as they are now, where they were or where they belong. */
function updated(text: string, block: string, within: string, path: string): string {
  const found = findBlock(text, { within }, path);
  if (found === null) return positioned(text, block);
  const [start, end] = found;
  return text.slice(0, start) + block + text.slice(end);
}

function positioned(text: string, block: string): string {
  const at = placeInScript(text);
  return text.slice(0, at) + (needsEnd(text) ? "\n" : "") + block + text.slice(at);
}

/** Our lines would follow a line without an end. */
function needsEnd(text: string): boolean {
  const at = placeInScript(text);
  return at > 0 && text[at - 1] !== "\n";
}

/** A hook of ours takes the place of one that cannot hold our lines, or that git does not run. */
function wrap(
  project: Project,
  { path, hook, block, before }: { path: string; hook: GitHookName; block: string; before: HookFile },
): Change {
  const dir = dirname(path);
  const isShellLink = before.isLink && before.text !== null && isShellScript(before.text);
  const kept = keptName(dir, hook, isShellLink);
  const { head, tail } = wrapperFor(kept);
  return {
    hook,
    file: fromRoot(project, path),
    outcome: "changed",
    ends: false,
    apply: () => {
      keepHook(dir, hook, kept);
      try {
        writeHook(path, head + block + tail, newMode(), before.isLink ? null : before.stat);
      } catch (error) {
        restoreHook(path, kept);
        throw error;
      }
    },
    undo: () => restoreHook(path, kept),
  };
}

function remember(
  project: Project,
  place: FoundPlace,
  missing: readonly string[],
  done: readonly Change[],
): void {
  const known = readRecord(project);
  const union = (before: readonly string[], more: readonly string[]) => [...new Set([...before, ...more])];
  writeRecord(project, {
    disabled: false,
    dirs: union(known.dirs, [fromRoot(project, place.dir)]),
    created_dirs: union(
      known.created_dirs,
      missing.map((dir) => fromRoot(project, dir)),
    ),
    ended: union(
      known.ended,
      done.filter(({ ends, outcome }) => ends && outcome === "changed").map(({ file }) => file),
    ),
  });
}
