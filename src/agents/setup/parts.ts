import { createHash } from "node:crypto";
import { existsSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { PommelError } from "../../project/errors.ts";
import {
  type FileText,
  leadsOutside,
  readFileText,
  refuseOutside,
  writeFileText,
} from "../../project/files/text-file.ts";
import type { AgentSetup, PartEditor, PartLook, Place, SetupPart } from "../setup.ts";
import { applyEdit } from "./json-edit.ts";
import {
  type FileRecord,
  oneAtATime,
  readRecord,
  type SetupRecord,
  userPlace,
  writeRecord,
} from "./record.ts";

export interface PutResult {
  /** Relative to the place's directory, with slashes; absolute outside of it. */
  file: string;
  /** kept: left alone, for the reasons in `detail`. */
  outcome: "created" | "changed" | "already" | "kept";
  /** The added hook events. */
  added: string[];
  detail: string[];
}

export interface TakeResult {
  file: string;
  /** kept: edited by the user, and left alone. */
  outcome: "removed" | "kept";
  detail: string[];
}

/** A part's state in the files of a place. */
export interface PositionedPart extends PartLook {
  /** Its file; null when absent. */
  file: string | null;
  /** Why a file cannot be read; null when it can. */
  error: PommelError | null;
}

/** Retries when the file changes in between. */
const attempts = 5;

/**
 * Adds a missing part of an agent's setup; the rest of the file stays byte for byte. Updates an older Pommel's part;
 * leaves edited or replaced ones alone.
 * @param file the target; default: the file that has it, or the part's first file
 * @throws PommelError `settings_invalid` (the file is left as it is), `unreadable`, `disk_full`
 */
export function putPart(place: Place, setup: AgentSetup, part: SetupPart, file?: string): PutResult {
  return oneAtATime(place, () => put(place, setup, part, file));
}

function put(place: Place, setup: AgentSetup, part: SetupPart, file?: string): PutResult {
  const path = file ?? fileToPut(place, setup, part);
  if (place.scope === "project") refuseOutside(place.dir, path);
  const name = nameOf(place, path);
  for (let attempt = 1; ; attempt++) {
    const before = readFileText(path);
    const { state, detail } = editorOf(place, part, path).look(before?.body ?? "", path);
    if (state === "kept" || state === "current") {
      return { file: name, outcome: state === "kept" ? "kept" : "already", added: [], detail };
    }
    const { text, added, empty, undo } = editorOf(place, part, path).add(before?.body ?? "", path);
    const dirs = missingDirs(dirname(path));
    if (attempt < attempts && !isSame(before, readFileText(path))) continue;
    const after = { body: text, hasBom: before?.hasBom ?? false };
    const key = keyOf(setup, part);
    const earlierRecord = readRecord(place);
    const record = structuredClone(earlierRecord);
    const known = before === null ? undefined : fileKnown(record, name, state === "absent" ? key : null);
    const earlier = state === "absent" ? undefined : known?.parts[key];
    const isAsWeLeftIt = earlier?.undo && before && earlier.sha256 === hashOf(before);
    const chain = isAsWeLeftIt ? [...undo, ...earlier.undo!] : undo;
    record.files[name] = {
      created: before === null || (known?.created ?? false),
      parts: {
        ...known?.parts,
        [key]: {
          sha256: hashOf(after),
          // For an existing part, the original text is unknown.
          undo: state === "absent" || isAsWeLeftIt ? chain : null,
          empty: [...new Set([...(earlier?.empty ?? []), ...empty])],
        },
      },
    };
    record.dirs = [...new Set([...record.dirs, ...dirs])];
    if (place.own !== undefined) record.own = place.own;
    // Record first, so that no change is ever unrecorded.
    writeRecord(place, record);
    try {
      writeFileText(path, after);
    } catch (error) {
      for (const dir of dirs) removeDir(dir);
      try {
        writeRecord(place, earlierRecord);
      } catch {
        // Superfluous records are detected and dropped.
      }
      throw error;
    }
    return { file: name, outcome: before === null ? "created" : "changed", added, detail };
  }
}

/** Where a part is added: the file that has it, or its first. */
export function fileToPut(place: Place, setup: AgentSetup, part: SetupPart): string {
  return pathOf(place, partState(place, setup, part).file) ?? part.files(place)[0]!;
}

/** A file's record is valid while it contains any part besides `lost`. */
function fileKnown({ files }: SetupRecord, name: string, lost: string | null): FileRecord | undefined {
  const known = files[name];
  return known && Object.keys(known.parts).some((key) => key !== lost) ? known : undefined;
}

/**
 * Removes a part from every file. An otherwise unchanged file is restored byte for byte, or deleted if Pommel created
 * it; in other files, only the part is removed.
 * @throws PommelError as `putPart`
 */
export function takePart(place: Place, setup: AgentSetup, part: SetupPart): TakeResult[] {
  const key = keyOf(setup, part);
  return oneAtATime(place, () => {
    const recorded = Object.entries(readRecord(place).files).filter(([, { parts }]) => key in parts);
    const paths = new Set([...part.files(place), ...recorded.map(([name]) => pathOf(place, name)!)]);
    return [...paths].flatMap((path) => takeFrom(place, key, part, path) ?? []);
  });
}

/**
 * A file's text without Pommel's parts.
 * @returns null when the file is missing
 * @throws PommelError as `putPart`
 */
export function textWithoutOurs(place: Place, setups: readonly AgentSetup[], path: string): string | null {
  const before = readFileText(path);
  if (before === null) return null;
  const known = readRecord(place).files[nameOf(place, path)];
  let text = before;
  for (const [setup, part] of inOrderToTake(place, setups)) {
    const key = keyOf(setup, part);
    const editor = editorOf(place, part, path);
    if (!part.files(place).includes(path) && !known?.parts[key]) continue;
    const { state } = editor.look(text.body, path);
    if (state === "absent" || state === "kept") continue;
    text = { ...text, body: without(text, path, editor, known?.parts[key]) };
  }
  return (text.hasBom ? "\ufeff" : "") + text.body;
}

/** All parts, the last added first within a file, so that edits are undone in reverse order. */
export function inOrderToTake(place: Place, setups: readonly AgentSetup[]): [AgentSetup, SetupPart][] {
  const put = Object.values(readRecord(place).files).flatMap(({ parts }) => Object.keys(parts));
  const all = setups.flatMap((setup) =>
    setup.parts.toReversed().map((part): [AgentSetup, SetupPart] => [setup, part]),
  );
  return all.sort((one, other) => put.indexOf(keyOf(...other)) - put.indexOf(keyOf(...one)));
}

function takeFrom(place: Place, key: string, part: SetupPart, path: string): TakeResult | null {
  const name = nameOf(place, path);
  // Nothing was ever written there.
  if (place.scope === "project" && leadsOutside(place.dir, path)) return null;
  const editor = editorOf(place, part, path);
  for (let attempt = 1; ; attempt++) {
    const before = readFileText(path);
    const known = readRecord(place).files[name];
    const { state, detail } = before ? editor.look(before.body, path) : { state: "absent", detail: [] };
    if (before === null || state === "absent") {
      if (known?.parts[key]) forget(place, name, key);
      return null;
    }
    if (state === "kept") return { file: name, outcome: "kept", detail };
    const body = without(before, path, editor, known?.parts[key]);
    if (attempt < attempts && !isSame(before, readFileText(path))) continue;
    const isLast = Object.keys(known?.parts ?? {}).every((other) => other === key);
    const isOurs = editor.ownsFile || (known?.created && isLast);
    if (isOurs && editor.isBlank(body)) rmSync(realpathSync(path), { force: true });
    else writeFileText(path, { ...before, body });
    forget(place, name, key);
    if (editor.ownsFile) removeDir(dirname(path));
    return { file: name, outcome: "removed", detail };
  }
}

function without(
  before: FileText,
  path: string,
  editor: PartEditor,
  known: FileRecord["parts"][string] | undefined,
): string {
  if (known?.undo && known.sha256 === hashOf(before)) return known.undo.reduce(applyEdit, before.body);
  return editor.remove(before.body, path, known?.empty ?? []);
}

/** Drops a part's record, and removes directories created for it if they are empty. */
function forget(place: Place, name: string, key: string): void {
  const record = readRecord(place);
  const known = record.files[name];
  if (known) {
    delete known.parts[key];
    if (Object.keys(known.parts).length === 0) delete record.files[name];
  }
  // Deepest first.
  const dirs = record.dirs.sort((one, other) => other.length - one.length).filter((dir) => !removeDir(dir));
  const inUse = Object.keys(record.files).map((file) => pathOf(place, file)!);
  record.dirs = dirs.filter((dir) => inUse.some((file) => file.startsWith(dir + sep)));
  writeRecord(place, record);
}

/** @returns false if it is not empty */
function removeDir(dir: string): boolean {
  try {
    rmdirSync(dir);
  } catch {
    return !existsSync(dir);
  }
  return true;
}

/** The parts that the agent has a file for at a place. */
export function partsAt(place: Place, { parts }: AgentSetup): SetupPart[] {
  return parts.filter((part) => part.files(place).length > 0);
}

/** A part's state. Never throws for a file's content. */
export function partState(place: Place, setup: AgentSetup, part: SetupPart): PositionedPart {
  const recorded = Object.entries(readRecord(place).files)
    .filter(([, { parts }]) => keyOf(setup, part) in parts)
    .map(([name]) => pathOf(place, name)!);
  const files = part.files(place);
  const counting = part.readsOne ? files.slice(0, 1) : [...files, ...recorded];
  let best: PositionedPart = { state: "absent", detail: [], file: null, error: null };
  for (const path of new Set(counting)) {
    const file = nameOf(place, path);
    try {
      const look = editorOf(place, part, path).look(readFileText(path)?.body ?? "", path);
      best = together(best, { ...look, file: look.state === "absent" ? null : file, error: null });
    } catch (error) {
      if (!(error instanceof PommelError)) throw error;
      return { state: "absent", detail: [], file, error };
    }
  }
  return best;
}

/** `pm setup` did it for all projects, so that a project's own files need not have it. */
export function isInHome(place: Place, setup: AgentSetup, part: SetupPart): boolean {
  if (place.scope === "user" || !place.own) return false;
  const home = userPlace(place.env);
  return part.files(home).length > 0 && partState(home, setup, part).state === "current";
}

export function editorOf(place: Place, part: SetupPart, path: string): PartEditor {
  return part.editorOf?.(place, path) ?? part.editor;
}

/** Combines the states of several files, which may complement each other. */
function together(one: PositionedPart, other: PositionedPart): PositionedPart {
  if (one.state === "absent" || other.state === "absent") return one.state === "absent" ? other : one;
  if (one.state === "current" || other.state === "current") return one.state === "current" ? one : other;
  if (one.state !== "partial" || other.state !== "partial") return one;
  const detail = one.detail.filter((event) => other.detail.includes(event));
  return { ...one, detail, state: detail.length === 0 ? "current" : "partial" };
}

export function keyOf({ agent }: AgentSetup, { name }: SetupPart): string {
  return `${agent}/${name}`;
}

/** A file's name in results and records: relative to the place's directory, with slashes, if below it. */
export function nameOf({ dir }: Place, path: string): string {
  const name = relative(dir, path);
  return name.startsWith("..") || isAbsolute(name) ? path : name.split(sep).join("/");
}

function pathOf({ dir }: Place, name: string | null): string | null {
  return name === null || isAbsolute(name) ? name : join(dir, name);
}

function missingDirs(dir: string): string[] {
  return existsSync(dir) || dirname(dir) === dir ? [] : [dir, ...missingDirs(dirname(dir))];
}

function isSame(one: FileText | null, other: FileText | null): boolean {
  return one?.body === other?.body && one?.hasBom === other?.hasBom;
}

function hashOf({ body, hasBom }: FileText): string {
  return createHash("sha256").update(`${hasBom}\n${body}`).digest("hex");
}
