import { createHash } from "node:crypto";
import { existsSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { PommelError } from "../../project/errors.ts";
import { type FileText, readFileText, writeFileText } from "../../project/files/text-file.ts";
import type { AgentSetup, PartEditor, PartLook, Place, SetupPart } from "../setup.ts";
import { applyEdit } from "./json-edit.ts";
import { type FileRecord, oneAtATime, readRecord, type SetupRecord, writeRecord } from "./record.ts";

export interface PutResult {
  /** From the place's directory, with slashes; absolute where it is not below it. */
  file: string;
  /** kept: it is left alone, for the reasons in `detail`. */
  outcome: "created" | "changed" | "already" | "kept";
  /** What was added, where that is several things: the events of hooks. */
  added: string[];
  detail: string[];
}

export interface TakeResult {
  file: string;
  /** kept: somebody changed what is ours, and it is left alone. */
  outcome: "removed" | "kept";
  detail: string[];
}

/** A part as it stands in the files of a place. */
export interface PositionedPart extends PartLook {
  /** Where it is; null where it is nowhere. */
  file: string | null;
  /** Why a file cannot be read; null when it can. */
  error: PommelError | null;
}

/** Somebody else may write in between; then it is read again, so often at most. */
const attempts = 5;

/**
 * Puts a part of an agent's setup where it is missing, and nothing else: the rest of the file stays byte for byte. What an
 * older Pommel wrote is renewed; what somebody changed, or put in its place, is left alone.
 * @param file where it goes; without it, where it is already, or the first that the part may be in
 * @throws PommelError `settings_invalid` (the file is left as it is), `unreadable`, `disk_full`
 */
export function putPart(place: Place, setup: AgentSetup, part: SetupPart, file?: string): PutResult {
  return oneAtATime(place, () => put(place, setup, part, file));
}

function put(place: Place, setup: AgentSetup, part: SetupPart, file?: string): PutResult {
  const path = file ?? pathOf(place, partState(place, setup, part).file) ?? part.files(place)[0]!;
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
          // Of what was there of ours before, nobody knows what it replaced.
          undo: state === "absent" || isAsWeLeftIt ? chain : null,
          empty: [...new Set([...(earlier?.empty ?? []), ...empty])],
        },
      },
    };
    record.dirs = [...new Set([...record.dirs, ...dirs])];
    if (place.own !== undefined) record.own = place.own;
    // First, so that nothing is ever there of which nobody knows.
    writeRecord(place, record);
    try {
      writeFileText(path, after);
    } catch (error) {
      for (const dir of dirs) removeDir(dir);
      try {
        writeRecord(place, earlierRecord);
      } catch {
        // What it says too much is found to be missing, and forgotten.
      }
      throw error;
    }
    return { file: name, outcome: before === null ? "created" : "changed", added, detail };
  }
}

/** What was made of an earlier file counts for as long as something of ours, besides `lost`, is in it. */
function fileKnown({ files }: SetupRecord, name: string, lost: string | null): FileRecord | undefined {
  const known = files[name];
  return known && Object.keys(known.parts).some((key) => key !== lost) ? known : undefined;
}

/**
 * Takes a part out of every file that it is in. A file that nobody else changed is again what it was before, byte for
 * byte, or gone if it was not there; of another, ours goes and the rest stays.
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
 * What a file says without anything of ours.
 * @returns null where there is no file
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

/** All parts, in a file the one last put there first, so that it is taken back step by step. */
export function inOrderToTake(place: Place, setups: readonly AgentSetup[]): [AgentSetup, SetupPart][] {
  const put = Object.values(readRecord(place).files).flatMap(({ parts }) => Object.keys(parts));
  const all = setups.flatMap((setup) =>
    setup.parts.toReversed().map((part): [AgentSetup, SetupPart] => [setup, part]),
  );
  return all.sort((one, other) => put.indexOf(keyOf(...other)) - put.indexOf(keyOf(...one)));
}

function takeFrom(place: Place, key: string, part: SetupPart, path: string): TakeResult | null {
  const name = nameOf(place, path);
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

/** The part is no longer in the file; directories that were made for it go when nothing is in them. */
function forget(place: Place, name: string, key: string): void {
  const record = readRecord(place);
  const known = record.files[name];
  if (known) {
    delete known.parts[key];
    if (Object.keys(known.parts).length === 0) delete record.files[name];
  }
  // The deepest first.
  const dirs = record.dirs.sort((one, other) => other.length - one.length).filter((dir) => !removeDir(dir));
  const inUse = Object.keys(record.files).map((file) => pathOf(place, file)!);
  record.dirs = dirs.filter((dir) => inUse.some((file) => file.startsWith(dir + sep)));
  writeRecord(place, record);
}

/** @returns whether it is gone; somebody else may keep something there */
function removeDir(dir: string): boolean {
  try {
    rmdirSync(dir);
  } catch {
    return !existsSync(dir);
  }
  return true;
}

/** How a part stands. Never throws because of what a file says. */
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

function editorOf(place: Place, part: SetupPart, path: string): PartEditor {
  return part.editorOf?.(place, path) ?? part.editor;
}

/** In several files, as hooks may be: what one lacks, another may have. */
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

/** A file as results and records name it: from the place's directory, with slashes, where it is below it. */
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
