import { createHash } from "node:crypto";
import { existsSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { eventOfHook, type HookEvent, hookNames } from "./hook-names.ts";
import { type InstalledFile, readRecord, writeRecord } from "./install-record.ts";
import { applyEdit } from "./json-edit.ts";
import { readSettings, type SettingsText, writeSettings } from "./settings-file.ts";
import { addHooks, missingEvents, removeHooks as removeFrom } from "./settings-hooks.ts";

/** The settings files of a project: what everybody who checks it out shares, and one's own. From its root. */
export const sharedSettings = ".claude/settings.json";
export const localSettings = ".claude/settings.local.json";
export type SettingsFile = typeof sharedSettings | typeof localSettings;
const settingsFiles: readonly SettingsFile[] = [sharedSettings, localSettings];

type InstallOutcome = "created" | "changed" | "already";

export interface Installed {
  file: SettingsFile;
  outcome: InstallOutcome;
  /** The events that had no hook of ours. */
  added: HookEvent[];
}

/** Whether Claude Code runs our hooks in this project. */
export interface HooksState {
  state: "installed" | "partial" | "absent" | "invalid";
  /** Where they are; null where there are none. */
  file: SettingsFile | null;
  /** The events without a hook of ours. */
  missing: HookEvent[];
  /** Why a settings file cannot be read; null when it can. */
  error: PommelError | null;
  /** Somebody took them out with `pm disable`. */
  disabled: boolean;
}

/** Somebody else may write in between; then it is read again, so often at most. */
const attempts = 5;

/**
 * Adds our hooks to a settings file of the project, those that are missing and nothing else. The rest of the file
 * stays byte for byte.
 * @throws PommelError `settings_invalid` (the file is left as it is), `unreadable`, `disk_full`
 */
export function installHooks(project: Project, settingsFile: SettingsFile = sharedSettings): Installed {
  const file = join(project.root, settingsFile);
  const hadDir = existsSync(dirname(file));
  for (let attempt = 1; ; attempt++) {
    const before = readSettings(file);
    const { text, added, empty, undo } = addHooks(before?.body ?? "", file);
    if (added.length === 0) {
      remember(project, settingsFile, null);
      return { file: settingsFile, outcome: "already", added };
    }
    if (attempt < attempts && !isSame(before, readSettings(file))) continue;
    const after = { body: text, hasBom: before?.hasBom ?? false };
    writeSettings(file, after);
    // What was made of an earlier file counts for as long as something of it is left.
    const known = undo === null ? readRecord(project).files[settingsFile] : undefined;
    remember(project, settingsFile, {
      created_file: before === null || (known?.created_file ?? false),
      created_dir: !hadDir || (known?.created_dir ?? false),
      empty_hooks: empty.hooks || (known?.empty_hooks ?? false),
      empty_events: [...new Set([...(known?.empty_events ?? []), ...empty.events])],
      sha256: hashOf(after),
      undo,
    });
    return { file: settingsFile, outcome: before === null ? "created" : "changed", added };
  }
}

/** Hooks are wanted now; `installed`, if not null, is what was made of the file. */
function remember(project: Project, settingsFile: SettingsFile, installed: InstalledFile | null): void {
  const { disabled, files } = readRecord(project);
  if (installed === null && !disabled) return;
  const next = installed === null ? files : { ...files, [settingsFile]: installed };
  writeRecord(project, { disabled: false, files: next });
}

/**
 * Takes our hooks out of both settings files. A file that nobody else changed is again what it was before, byte for
 * byte, or gone if it was not there; of another, our hooks go and the rest stays.
 * @returns the files that changed
 * @throws PommelError as `installHooks`
 */
export function removeHooks(project: Project): SettingsFile[] {
  const changed = settingsFiles.filter((settingsFile) => removeFromFile(project, settingsFile));
  writeRecord(project, { disabled: true, files: {} });
  return changed;
}

function removeFromFile(project: Project, settingsFile: SettingsFile): boolean {
  const file = join(project.root, settingsFile);
  const known = readRecord(project).files[settingsFile] ?? null;
  for (let attempt = 1; ; attempt++) {
    const before = readSettings(file);
    if (before === null) return false;
    const body = withoutHooks(before, file, known);
    if (body === before.body) return false;
    if (attempt < attempts && !isSame(before, readSettings(file))) continue;
    if (known?.created_file && isEmpty(body)) removeFile(file, known);
    else writeSettings(file, { ...before, body });
    return true;
  }
}

function withoutHooks(before: SettingsText, file: string, known: InstalledFile | null): string {
  if (known?.undo && known.sha256 === hashOf(before)) return known.undo.reduce(applyEdit, before.body);
  const empty = { hooks: known?.empty_hooks ?? false, events: known?.empty_events ?? [] };
  return removeFrom(before.body, file, empty);
}

function removeFile(file: string, { created_dir }: InstalledFile): void {
  rmSync(realpathSync(file), { force: true });
  if (!created_dir) return;
  try {
    rmdirSync(dirname(file));
  } catch {
    // Somebody else keeps something there now.
  }
}

/** Whether Claude Code runs our hooks in this project. Never throws because of what a settings file says. */
export function hooksState(project: Project): HooksState {
  const { disabled } = readRecord(project);
  const missing = new Set<HookEvent>(Object.values(eventOfHook));
  let file: SettingsFile | null = null;
  for (const settingsFile of settingsFiles) {
    const path = join(project.root, settingsFile);
    try {
      const settings = readSettings(path);
      if (settings === null) continue;
      const missingHere = missingEvents(settings.body, path);
      for (const event of [...missing]) if (!missingHere.includes(event)) missing.delete(event);
      if (missingHere.length < hookNames.length) file ??= settingsFile;
    } catch (error) {
      if (!(error instanceof PommelError)) throw error;
      return { state: "invalid", file: settingsFile, missing: [...missing], error, disabled };
    }
  }
  const state = missing.size === 0 ? "installed" : file === null ? "absent" : "partial";
  return { state, file, missing: [...missing], error: null, disabled };
}

function isSame(one: SettingsText | null, other: SettingsText | null): boolean {
  return one?.body === other?.body && one?.hasBom === other?.hasBom;
}

function isEmpty(body: string): boolean {
  return /^\s*(?:\{\s*\})?\s*$/.test(body);
}

function hashOf({ body, hasBom }: SettingsText): string {
  return createHash("sha256").update(`${hasBom}\n${body}`).digest("hex");
}
