import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Project } from "../../base/paths.ts";
import { type GitHookName, gitHookNames } from "../../protocol/hooks.ts";
import {
  chooseKeptName,
  computeHookMode,
  type HookFile,
  keepHook,
  readHook,
  removeEmpty,
  removeHook,
  restoreHook,
  withHooksLock,
  writeHook,
} from "./hook-file.ts";
import { type FoundPlace, findHooksPlace, refuseHooks, toRootRelative } from "./place.ts";
import {
  findBlock,
  findKeptHook,
  isShellScript,
  makeBlock,
  makeWrapper,
  placeInScript,
  stub,
  type Wrapper,
  withoutBlock,
} from "./script.ts";
import { readRecord, writeRecord } from "./state.ts";

export interface InstalledHook {
  hook: GitHookName;
  /** Relative to the project's root, with slashes. */
  file: string;
  outcome: "created" | "changed" | "already";
}

/** A planned change of one hook; undone when another one fails. */
interface HookChange extends InstalledHook {
  /** Its last line gets a line break. */
  ends: boolean;
  apply(): void;
  undo(): void;
}

/**
 * Adds Pommel's block to the hooks of the project's repository: all or none. Existing hooks run as before; one that
 * cannot hold the block (a program, a link) is kept under another name and run by a wrapper.
 * @throws PommelError `unreadable`, `disk_full`, `settings_invalid` when the block in a hook has no end; as `refuseHooks`
 */
export async function installGitHooks(project: Project): Promise<InstalledHook[]> {
  const place = await findHooksPlace(project.root);
  if (place.state !== "found") throw refuseHooks(place);
  const missing = listMissingDirs(place.dir);
  const done: HookChange[] = [];
  try {
    await withHooksLock(place.dir, true, () => {
      const changes = gitHookNames.map((hook) => planChange(project, place, hook));
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
  return done.map(({ hook, file, outcome }) => ({ hook, file, outcome }));
}

/** The directories that creating `dir` creates, parents first. */
function listMissingDirs(dir: string): string[] {
  return existsSync(dir) ? [] : [...listMissingDirs(dirname(dir)), dir];
}

function planChange(project: Project, place: FoundPlace, hook: GitHookName): HookChange {
  const path = join(place.dir, hook);
  const block = makeBlock({ hook, within: place.within });
  const before = readHook(path);
  const change = (outcome: HookChange["outcome"], text: string, mode: number): HookChange => ({
    hook,
    file: toRootRelative(project, path),
    outcome,
    ends: isLineBreakMissing(before?.text ?? ""),
    apply: () => {
      if (outcome !== "already") writeHook(path, text, mode, before?.stat ?? null);
    },
    undo: () => {
      if (outcome === "created") removeHook(path);
      else if (outcome === "changed") writeHook(path, before!.text!, before!.stat.mode, before!.stat);
    },
  });
  if (before === null) return change("created", stub + block, computeHookMode());
  const isRun = before.isExecutable || place.runner === "husky";
  const ours = isRun ? null : findOwnWrapper(before, place.within, path);
  if (ours !== null)
    return change("changed", ours.head + block + ours.tail, before.stat.mode | computeHookMode());
  if (isRun && !before.isLink && (isShellScript(before.text!) || place.runner === "husky")) {
    const text = updateBlock(before.text!, block, place.within, path);
    return change(text === before.text ? "already" : "changed", text, before.stat.mode);
  }
  return wrap(project, { path, hook, block, before });
}

/** The text before and after the block in a hook that Pommel created; null for other hooks. */
function findOwnWrapper(before: HookFile, within: string, path: string): Wrapper | null {
  if (before.isLink || before.text === null) return null;
  const bare = withoutBlock(before.text, within, path);
  if (bare === stub) return { head: stub, tail: "" };
  const kept = findKeptHook(bare);
  return kept === null ? null : makeWrapper(kept);
}

/** Updates the block in place, or inserts it. */
function updateBlock(text: string, block: string, within: string, path: string): string {
  const found = findBlock(text, { within }, path);
  if (found === null) return insertBlock(text, block);
  const [start, end] = found;
  return text.slice(0, start) + block + text.slice(end);
}

function insertBlock(text: string, block: string): string {
  const at = placeInScript(text);
  return text.slice(0, at) + (isLineBreakMissing(text) ? "\n" : "") + block + text.slice(at);
}

/** Whether the line before the block lacks a line break. */
function isLineBreakMissing(text: string): boolean {
  const at = placeInScript(text);
  return at > 0 && text[at - 1] !== "\n";
}

/** Replaces a hook that cannot hold the block, or that git does not run, with a wrapper. */
function wrap(
  project: Project,
  { path, hook, block, before }: { path: string; hook: GitHookName; block: string; before: HookFile },
): HookChange {
  const dir = dirname(path);
  const isShellLink = before.isLink && before.text !== null && isShellScript(before.text);
  const kept = chooseKeptName(dir, hook, isShellLink);
  const { head, tail } = makeWrapper(kept);
  return {
    hook,
    file: toRootRelative(project, path),
    outcome: "changed",
    ends: false,
    apply: () => {
      keepHook(dir, hook, kept);
      try {
        writeHook(path, head + block + tail, computeHookMode(), before.isLink ? null : before.stat);
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
  done: readonly HookChange[],
): void {
  const known = readRecord(project);
  const union = (before: readonly string[], more: readonly string[]) => [...new Set([...before, ...more])];
  writeRecord(project, {
    disabled: false,
    dirs: union(known.dirs, [toRootRelative(project, place.dir)]),
    created_dirs: union(
      known.created_dirs,
      missing.map((dir) => toRootRelative(project, dir)),
    ),
    ended: union(
      known.ended,
      done.filter(({ ends, outcome }) => ends && outcome === "changed").map(({ file }) => file),
    ),
  });
}

/** Suffixes that pre-commit and lefthook give to the hooks they replace. */
const hookSuffixes = ["", ".legacy", ".old"];

/**
 * Removes Pommel's block from all hooks, in the current directory and in earlier ones. Deletes hooks that Pommel
 * created, restores kept ones, and leaves all else. One failure does not stop the others.
 * @returns the changed hooks, relative to the project's root
 * @throws PommelError as `installGitHooks`
 */
export async function removeGitHooks(project: Project): Promise<string[]> {
  const place = await findHooksPlace(project.root);
  const known = readRecord(project);
  const dirs = new Set(known.dirs.map((dir) => resolve(project.root, dir)));
  if (place.state === "found") dirs.add(place.dir);
  const within = place.state === "found" ? place.within : "";
  const changed: string[] = [];
  const failures: unknown[] = [];
  for (const dir of dirs) {
    if (!existsSync(dir)) continue;
    await withHooksLock(dir, false, () => {
      for (const hook of gitHookNames) {
        for (const suffix of hookSuffixes) {
          const path = join(dir, hook + suffix);
          const file = toRootRelative(project, path);
          try {
            if (removeBlock(path, within, known.ended.includes(file))) changed.push(file);
          } catch (error) {
            failures.push(error);
          }
        }
      }
    });
  }
  if (failures.length > 0) {
    writeRecord(project, { ...known, disabled: true });
    throw failures[0];
  }
  for (const dir of known.created_dirs.toReversed()) removeEmpty(resolve(project.root, dir));
  writeRecord(project, { disabled: true, dirs: [], created_dirs: [], ended: [] });
  return changed;
}

function removeBlock(path: string, within: string, wasEnded: boolean): boolean {
  const before = readHook(path);
  if (before === null || before.isLink || before.text === null) return false;
  const found = findBlock(before.text, { within }, path);
  if (found === null) return false;
  const bare = withoutBlock(before.text, within, path);
  const kept = findKeptHook(bare);
  if (bare === stub) {
    removeHook(path);
  } else if (kept !== null) {
    restoreHook(path, kept);
    // It was kept because it became non-executable after the block was added.
    removeBlock(path, within, wasEnded);
  } else {
    const isLast = found[1] === before.text.length;
    const text = wasEnded && isLast ? bare.replace(/\n$/, "") : bare;
    writeHook(path, text, before.stat.mode, before.stat);
  }
  return true;
}
