import {
  closeSync,
  constants,
  copyFileSync,
  type Dirent,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, parse, relative, resolve } from "node:path";
import { getErrorCode } from "../../base/errors.ts";
import { discardDraft, makeDraftPath, replaceFile } from "../../base/files/replace-file.ts";
import { locateHome, makeDirectory } from "../../base/home.ts";
import { isInside } from "../../base/paths.ts";
import { readPublicKey, sealBytes, sealedExtraBytes } from "../../protocol/sealed-text.ts";
import { unsealHomeBytes } from "../encryption/keys.ts";

/**
 * The vault: transcripts that are still to be read, where no client deletes them. A file lies in it as at its own place, below
 * `<data>/vault`: a hard link where the file system allows one, which grows with the file; else a copy. In an encrypted home
 * it is a sealed copy.
 */

/** A file in the vault, by its own place. */
export interface KeptFile {
  path: string;
  size: number;
  mtimeMs: number;
}

export const locateVault = (): string => join(locateHome().dataDir, "vault");

const sealedEnd = ".sealed";

/** Where a file lies in the vault, or would. A drive is a directory there. */
function locateInVault(path: string): string {
  const { root } = parse(path);
  return join(locateVault(), root.replace(/[:\\/]+/g, ""), relative(root, path));
}

/** The file's own place. */
function locateOriginal(place: string): string {
  const inside = relative(locateVault(), place);
  if (process.platform !== "win32") return resolve("/", inside);
  const [drive = "", ...names] = inside.split("\\");
  return join(`${drive}:\\`, ...names);
}

/** undefined: it is not there, nor can be, as a session inside of a database. */
function readStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (getErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A file in the vault, as it was when it was put there, or has grown since; null: it is not there. */
export function findKeptFile(path: string): KeptFile | null {
  const place = locateInVault(path);
  const stat = readStat(place);
  if (stat?.isFile()) return { path, size: stat.size, mtimeMs: stat.mtimeMs };
  const sealed = readStat(place + sealedEnd);
  return sealed?.isFile() ? { path, size: sealed.size - sealedExtraBytes, mtimeMs: sealed.mtimeMs } : null;
}

/** Whether the vault has another file than the one at its place: a copy, or what was replaced there since. */
export function isKeptApart(path: string): boolean {
  const own = readStat(path);
  if (own === undefined || findKeptFile(path) === null) return false;
  const kept = readStat(locateInVault(path));
  return kept === undefined || own.ino !== kept.ino || own.dev !== kept.dev;
}

/** All that is in the vault of a directory, or of a file. */
export function* listKept(directory: string): Generator<KeptFile, void, undefined> {
  const own = findKeptFile(directory);
  if (own !== null) yield own;
  else yield* listKeptUnder(locateInVault(directory));
}

function* listKeptUnder(dir: string): Generator<KeptFile, void, undefined> {
  for (const entry of listEntries(dir)) {
    const place = join(dir, entry.name);
    if (entry.isDirectory()) yield* listKeptUnder(place);
    else {
      const kept = findKeptFile(
        locateOriginal(place.endsWith(sealedEnd) ? place.slice(0, -sealedEnd.length) : place),
      );
      if (kept !== null) yield kept;
    }
  }
}

function listEntries(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * Puts a file into the vault. What is there of an older file at its place, and does not go on in this one, stays: it is not
 * read either.
 * @throws the file system's error
 */
export function keepFile(path: string, link: typeof linkSync = linkSync): void {
  const real = realpathSync(path);
  const own = statSync(real);
  const place = locateInVault(path);
  const publicKey = readPublicKey();
  const before = findKeptFile(path);
  const isSealed = readStat(place) === undefined;
  if (before !== null && isSealed === (publicKey !== null)) {
    const isSame = before.size === own.size && before.mtimeMs === own.mtimeMs;
    if (isSame || own.size < before.size || (!isSealed && !hasSameEnd(real, place, before.size))) return;
  }
  makeDirectory(dirname(place));
  if (publicKey !== null) sealInto(real, place, publicKey);
  else linkOrCopy(real, place, link);
}

/** Looking at all of both files would take as long as reading them. Bytes. */
const comparedBytes = 4096;

/** Whether the end of the kept file is in the other one as well: it was only written on. */
function hasSameEnd(path: string, kept: string, size: number): boolean {
  const from = Math.max(0, size - comparedBytes);
  const [one, other] = [path, kept].map((file) => readPart(file, from, size - from));
  return one!.equals(other!);
}

function readPart(path: string, from: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, from));
  } finally {
    closeSync(file);
  }
}

function linkOrCopy(path: string, place: string, link: typeof linkSync): void {
  const draft = makeDraftPath(place);
  discardDraft(draft);
  try {
    try {
      link(path, draft);
    } catch {
      // Another file system, or one without links.
      const { atime, mtime } = statSync(path);
      copyFileSync(path, draft, constants.COPYFILE_FICLONE);
      utimesSync(draft, atime, mtime);
    }
    // To rename a link to another name of the same file changes nothing.
    renameSync(draft, place);
  } finally {
    discardDraft(draft);
  }
}

function sealInto(path: string, place: string, publicKey: Buffer): void {
  const { atime, mtime } = statSync(path);
  replaceFile(place + sealedEnd, sealBytes(readFileSync(path), publicKey));
  utimesSync(place + sealedEnd, atime, mtime);
  rmSync(place, { force: true });
}

/**
 * Reads a file that is in the vault.
 * @param parts files beside it that are read with it
 * @param use gets a path at which the file and its parts can be read while it works
 */
export async function withKept<T>(
  path: string,
  parts: readonly string[],
  use: (file: string) => T | Promise<T>,
): Promise<T> {
  const { file, close } = openKept(path, parts);
  try {
    return await use(file);
  } finally {
    close();
  }
}

/** As `withKept`, for who says when it is done. @throws the file system's error: ENOENT where it is not there */
export function openKept(path: string, parts: readonly string[]): { file: string; close: () => void } {
  const place = locateInVault(path);
  if (readStat(place) !== undefined) return { file: place, close: () => {} };
  const { stateDir } = locateHome();
  makeDirectory(stateDir);
  const dir = mkdtempSync(`${makeDraftPath(join(stateDir, "opened"))}-`);
  const close = () => rmSync(dir, { recursive: true, force: true });
  try {
    for (const one of [path, ...parts]) {
      const sealed = locateInVault(one) + sealedEnd;
      if (one !== path && readStat(sealed) === undefined) continue;
      writeFileSync(join(dir, basename(one)), unsealHomeBytes(readFileSync(sealed)), { mode: 0o600 });
    }
    return { file: join(dir, basename(path)), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Takes files out of the vault, with the directories that are empty then. */
export function removeFromVault(paths: readonly string[]): void {
  for (const path of paths) {
    const place = locateInVault(path);
    for (const file of [place, place + sealedEnd]) rmSync(file, { force: true });
    const top = locateVault();
    for (let dir = dirname(place); dir !== top && isInside(dir, top); dir = dirname(dir)) {
      try {
        rmdirSync(dir);
      } catch {
        // Others are in it.
        break;
      }
    }
  }
}

/** What is not sealed in the vault. */
export const listPlainInVault = (): string[] =>
  [...listKeptUnder(locateVault())]
    .map(({ path }) => locateInVault(path))
    .filter((place) => readStat(place) !== undefined);

/** Seals what is plain in the vault, or opens what is sealed. @returns the files that were written anew */
export function convertVault(to: "encrypt" | "decrypt"): string[] {
  const publicKey = readPublicKey();
  return [...listKeptUnder(locateVault())].flatMap(({ path }) => {
    const place = locateInVault(path);
    const isSealed = readStat(place) === undefined;
    if (isSealed === (to === "encrypt") || publicKey === null) return [];
    if (to === "encrypt") sealInto(place, place, publicKey);
    else {
      const { atime, mtime } = statSync(place + sealedEnd);
      replaceFile(place, unsealHomeBytes(readFileSync(place + sealedEnd)), { synced: true });
      utimesSync(place, atime, mtime);
      rmSync(place + sealedEnd, { force: true });
    }
    return [place];
  });
}
