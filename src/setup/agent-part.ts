import { createHash } from "node:crypto";
import { existsSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { setups } from "../agents/registry.ts";
import { applyEdit } from "../agents/setup/json-edit.ts";
import type { AgentPartSpec, AgentSetup, PartEditor, PartName, SetupTarget } from "../agents/setup.ts";
import { PommelError } from "../base/errors.ts";
import {
  type FileText,
  isLinkedOutside,
  readFileText,
  refuseOutside,
  writeFileText,
} from "../base/files/text-file.ts";
import type { PartState, PutFile, SetupPart, TakenFile } from "./part.ts";
import {
  type FileRecord,
  makeUserPlace,
  readRecord,
  type SetupRecord,
  withPlaceLock,
  writeRecord,
} from "./record.ts";

/** The parts of all agents that have a file for them at a place. */
export const listAgentParts = (place: SetupTarget): AgentPart[] =>
  setups
    .flatMap((setup) => setup.parts.map((spec) => new AgentPart(place, setup, spec)))
    .filter((part) => part.listFiles().length > 0);

/** Retries when the file changes in between. */
const maxAttempts = 5;

/** A part of an agent's setup at a place. The rest of its files stays byte for byte. */
export class AgentPart implements SetupPart {
  readonly key: string;
  readonly owner: string;
  readonly title: string;
  readonly name: PartName;

  constructor(
    readonly place: SetupTarget,
    readonly setup: AgentSetup,
    private readonly spec: AgentPartSpec,
  ) {
    this.key = `${setup.agent}/${spec.name}`;
    this.owner = setup.agent;
    this.title = setup.title;
    this.name = spec.name;
  }

  /** Absolute; see `AgentPartSpec.files`. */
  listFiles(): string[] {
    return this.spec.files(this.place);
  }

  /** The same part in one of its files alone. */
  narrowToFile(file: string): AgentPart {
    return new AgentPart(this.place, this.setup, { ...this.spec, files: () => [file], readsOne: true });
  }

  findEditor(path: string): PartEditor {
    return this.spec.chooseEditor(this.place, path);
  }

  look(): PartState {
    const files = this.listFiles();
    const counting = this.spec.readsOne ? files.slice(0, 1) : [...files, ...this.listRecordedFiles()];
    let best: PartState = { state: "absent", detail: [], file: null, error: null };
    for (const path of new Set(counting)) {
      const file = nameFile(this.place, path);
      try {
        const look = this.findEditor(path).look(readFileText(path)?.body ?? "", path);
        best = combineStates(best, { ...look, file: look.state === "absent" ? null : file, error: null });
      } catch (error) {
        if (!(error instanceof PommelError)) throw error;
        return { state: "absent", detail: [], file, error };
      }
    }
    return best;
  }

  /** Leaves alone what somebody edited, or put in its place. */
  put(): [PutFile] {
    return withPlaceLock(this.place, () => [this.putInto(this.chooseFile())]);
  }

  /** The file that has it, or its first. */
  chooseFile(): string {
    return resolveName(this.place, this.look().file) ?? this.listFiles()[0]!;
  }

  private putInto(path: string): PutFile {
    const { place, key } = this;
    if (place.scope === "project") refuseOutside(place.dir, path);
    const name = nameFile(place, path);
    const editor = this.findEditor(path);
    for (let attempt = 1; ; attempt++) {
      const before = readFileText(path);
      const { state, detail } = editor.look(before?.body ?? "", path);
      if (state === "kept" || state === "current") {
        return { file: name, outcome: state === "kept" ? "kept" : "already", added: [], detail };
      }
      const { text, added, empty, undo } = editor.add(before?.body ?? "", path);
      const dirs = listMissingDirs(dirname(path));
      if (attempt < maxAttempts && !isSame(before, readFileText(path))) continue;
      const after = { body: text, hasBom: before?.hasBom ?? false };
      const earlierRecord = readRecord(place);
      const record = structuredClone(earlierRecord);
      const known =
        before === null ? undefined : findFileRecord(record, name, state === "absent" ? key : null);
      const earlier = state === "absent" ? undefined : known?.parts[key];
      const isAsWeLeftIt = earlier?.undo && before && earlier.sha256 === hashFile(before);
      const chain = isAsWeLeftIt ? [...undo, ...earlier.undo!] : undo;
      record.files[name] = {
        created: before === null || (known?.created ?? false),
        parts: {
          ...known?.parts,
          [key]: {
            sha256: hashFile(after),
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

  /**
   * An otherwise unchanged file is restored byte for byte, or deleted if Pommel created it; from other files, only the part
   * is removed.
   */
  take(): TakenFile[] {
    return withPlaceLock(this.place, () =>
      [...new Set([...this.listFiles(), ...this.listRecordedFiles()])].flatMap(
        (path) => this.takeFrom(path) ?? [],
      ),
    );
  }

  private takeFrom(path: string): TakenFile | null {
    const { place, key } = this;
    const name = nameFile(place, path);
    // Nothing was ever written there.
    if (place.scope === "project" && isLinkedOutside(place.dir, path)) return null;
    const editor = this.findEditor(path);
    for (let attempt = 1; ; attempt++) {
      const before = readFileText(path);
      const known = readRecord(place).files[name];
      const { state, detail } = before ? editor.look(before.body, path) : { state: "absent", detail: [] };
      if (before === null || state === "absent") {
        if (known?.parts[key]) forget(place, name, key);
        return null;
      }
      if (state === "kept") return { file: name, outcome: "kept", detail };
      const body = this.without(before, path);
      if (attempt < maxAttempts && !isSame(before, readFileText(path))) continue;
      const isLast = Object.keys(known?.parts ?? {}).every((other) => other === key);
      const isOurs = editor.ownsFile || (known?.created && isLast);
      if (isOurs && editor.isBlank(body)) rmSync(realpathSync(path), { force: true });
      else writeFileText(path, { ...before, body });
      forget(place, name, key);
      if (editor.ownsFile) removeDir(dirname(path));
      return { file: name, outcome: "removed", detail };
    }
  }

  /** A file's text without the part. */
  without(before: FileText, path: string): string {
    const known = readRecord(this.place).files[nameFile(this.place, path)]?.parts[this.key];
    if (known?.undo && known.sha256 === hashFile(before)) return known.undo.reduce(applyEdit, before.body);
    return this.findEditor(path).remove(before.body, path, known?.empty ?? []);
  }

  /** Whether it may be in a file. */
  isFor(path: string): boolean {
    return this.listFiles().includes(path) || this.listRecordedFiles().includes(path);
  }

  private listRecordedFiles(): string[] {
    const recorded = Object.entries(readRecord(this.place).files).filter(
      ([, { parts }]) => this.key in parts,
    );
    return recorded.map(([name]) => resolveName(this.place, name)!);
  }

  isOff(): boolean {
    return readRecord(this.place).disabled;
  }

  isFromPlugin(): boolean {
    return this.setup.fromPlugin(this.place).includes(this.name);
  }

  /** Hooks may be in the plugin and in a file; then the plugin's do nothing. */
  describeProvider(): string | null {
    if (this.name !== "hooks" && this.isFromPlugin()) return "provided by the plugin";
    return this.isInHome() ? "set up for all projects" : null;
  }

  /** Whether `pm setup` put it in for all projects, so that a person's own files of a project need not have it. */
  isInHome(): boolean {
    if (this.place.scope === "user" || !this.place.own) return false;
    const inHome = new AgentPart(makeUserPlace(this.place.env), this.setup, this.spec);
    return inHome.listFiles().length > 0 && inHome.look().state === "current";
  }

  describeNextSteps(put: readonly PartName[]): string[] {
    return this.setup.afterwards(this.place, put);
  }
}

/** The parts, the last added first within a file, so that edits are undone in reverse order. */
export function listPartsToRemove(place: SetupTarget): AgentPart[] {
  const put = Object.values(readRecord(place).files).flatMap(({ parts }) => Object.keys(parts));
  return listAgentParts(place)
    .reverse()
    .sort((one, other) => put.indexOf(other.key) - put.indexOf(one.key));
}

/**
 * A file's text without any part.
 * @returns null when the file is missing
 * @throws PommelError as `AgentPart.take`
 */
export function readWithoutParts(place: SetupTarget, path: string): string | null {
  const before = readFileText(path);
  if (before === null) return null;
  let text = before;
  for (const part of listPartsToRemove(place).filter((one) => one.isFor(path))) {
    const { state } = part.findEditor(path).look(text.body, path);
    if (state !== "absent" && state !== "kept") text = { ...text, body: part.without(text, path) };
  }
  return (text.hasBom ? "\ufeff" : "") + text.body;
}

/** A file's record is valid while it contains any part besides `lost`. */
function findFileRecord({ files }: SetupRecord, name: string, lost: string | null): FileRecord | undefined {
  const known = files[name];
  return known && Object.keys(known.parts).some((key) => key !== lost) ? known : undefined;
}

/** Drops a part's record, and removes directories created for it if they are empty. */
function forget(place: SetupTarget, name: string, key: string): void {
  const record = readRecord(place);
  const known = record.files[name];
  if (known) {
    delete known.parts[key];
    if (Object.keys(known.parts).length === 0) delete record.files[name];
  }
  // Deepest first.
  const dirs = record.dirs.sort((one, other) => other.length - one.length).filter((dir) => !removeDir(dir));
  const inUse = Object.keys(record.files).map((file) => resolveName(place, file)!);
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

/** Combines the states of several files, which may complement each other. */
function combineStates(one: PartState, other: PartState): PartState {
  if (one.state === "absent" || other.state === "absent") return one.state === "absent" ? other : one;
  if (one.state === "current" || other.state === "current") return one.state === "current" ? one : other;
  if (one.state !== "partial" || other.state !== "partial") return one;
  const detail = one.detail.filter((event) => other.detail.includes(event));
  return { ...one, detail, state: detail.length === 0 ? "current" : "partial" };
}

/** A file's name in results and records: relative to the place's directory, with slashes, if below it. */
export function nameFile({ dir }: SetupTarget, path: string): string {
  const name = relative(dir, path);
  return name.startsWith("..") || isAbsolute(name) ? path : name.split(sep).join("/");
}

function resolveName({ dir }: SetupTarget, name: string | null): string | null {
  return name === null || isAbsolute(name) ? name : join(dir, name);
}

function listMissingDirs(dir: string): string[] {
  return existsSync(dir) || dirname(dir) === dir ? [] : [dir, ...listMissingDirs(dirname(dir))];
}

function isSame(one: FileText | null, other: FileText | null): boolean {
  return one?.body === other?.body && one?.hasBom === other?.hasBom;
}

function hashFile({ body, hasBom }: FileText): string {
  return createHash("sha256").update(`${hasBom}\n${body}`).digest("hex");
}
