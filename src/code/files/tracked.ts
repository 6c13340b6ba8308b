import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveCommonDirectory } from "../../base/paths.ts";

/**
 * The files that git tracks, read from its index as gitformat-index(5) has it (versions 2 to 4): no process, and nothing of a
 * repository's configuration runs. Ignore rules do not apply to them.
 */
export interface Tracked {
  files: ReadonlySet<string>;
  /** Every directory that one is in. */
  directories: ReadonlySet<string>;
}

/** What git tracks, as it was when git last looked at it. */
export interface TrackedEntry {
  path: string;
  /** A file, or the commit of a repository inside. Links are left out. */
  isRepository: boolean;
  /** A sparse checkout leaves it out. */
  isLeftOut: boolean;
  /** Bytes, modulo 2^32, and whole milliseconds since the epoch. */
  size: number;
  mtimeMs: number;
}

const headerLength = 12;
const typeBits = 0o170000;
const regularFile = 0o100000;
const repository = 0o160000;

/** @param gitDir of this working tree; null: there is none. What cannot be read tracks nothing. */
export function readTrackedFiles(gitDir: string | null): Tracked {
  return listTrackedFiles(readTrackedEntries(gitDir));
}

export function listTrackedFiles(entries: readonly TrackedEntry[]): Tracked {
  const files = new Set<string>();
  const directories = new Set<string>();
  for (const { path, isRepository } of entries) {
    if (isRepository) continue;
    files.add(path);
    for (let dir = dirname(path); dir !== "." && !directories.has(dir); dir = dirname(dir))
      directories.add(dir);
  }
  return { files, directories };
}

/** In git's order, where the index is not split. Otherwise as `readTrackedFiles`. */
export function readTrackedEntries(gitDir: string | null): TrackedEntry[] {
  if (gitDir === null) return [];
  try {
    const bytes = readFileSync(join(gitDir, "index"));
    const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(
      readGitConfigFile(resolveCommonDirectory(gitDir)),
    );
    const hashLength = isSha256 ? 32 : 20;
    const { entries, end } = parseIndexEntries(bytes, hashLength);
    // A split index has most of its entries in another file.
    const shared = findExtension(bytes, end, "link")?.toString("hex", 0, hashLength);
    if (shared === undefined) return entries;
    const known = new Set(entries.map(({ path }) => path));
    const others = readFileSync(join(gitDir, `sharedindex.${shared}`));
    return [
      ...entries,
      ...parseIndexEntries(others, hashLength).entries.filter(({ path }) => !known.has(path)),
    ];
  } catch {
    return [];
  }
}

function readGitConfigFile(gitDir: string): string {
  try {
    return readFileSync(join(gitDir, "config"), "utf8");
  } catch {
    return "";
  }
}

/** @param hashLength of an object's name, in bytes */
function parseIndexEntries(bytes: Buffer, hashLength: number): { entries: TrackedEntry[]; end: number } {
  const entries: TrackedEntry[] = [];
  const version = bytes.readUInt32BE(4);
  let [at, previous] = [headerLength, ""];
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    const mode = bytes.readUInt32BE(at + 24);
    const flagsAt = at + 40 + hashLength;
    const isExtended = version >= 3 && (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    const isLeftOut = isExtended && (bytes.readUInt16BE(flagsAt + 2) & 0x4000) !== 0;
    at = flagsAt + (isExtended ? 4 : 2);
    let kept = "";
    if (version === 4) {
      const stripped = readVariableInt(bytes, at);
      at = stripped.next;
      kept = previous.slice(0, previous.length - stripped.value);
    }
    const end = bytes.indexOf(0, at);
    const path = kept + bytes.toString("latin1", at, end);
    previous = path;
    // Padded to a multiple of eight, with at least one zero.
    at = version === 4 ? end + 1 : start + Math.floor((end - start + 8) / 8) * 8;
    // What a split index replaces has no name there.
    const isRepository = (mode & typeBits) === repository;
    if (path === "" || !(isRepository || (mode & typeBits) === regularFile)) continue;
    entries.push({
      path: Buffer.from(path, "latin1").toString("utf8"),
      isRepository,
      isLeftOut,
      size: bytes.readUInt32BE(start + 36),
      mtimeMs: bytes.readUInt32BE(start + 8) * 1000 + Math.trunc(bytes.readUInt32BE(start + 12) / 1e6),
    });
  }
  return { entries, end: at };
}

/** What an extension behind the entries holds. */
function findExtension(bytes: Buffer, from: number, signature: string): Buffer | undefined {
  for (let at = from; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at + 4);
    if (bytes.toString("latin1", at, at + 4) === signature) return bytes.subarray(at + 8, at + 8 + size);
    at += 8 + size;
  }
  return undefined;
}

/** A number as git's offsets have it: seven bits a byte, each further byte adds one. */
function readVariableInt(bytes: Buffer, at: number): { value: number; next: number } {
  let byte = bytes[at]!;
  let value = byte & 0x7f;
  let next = at + 1;
  while (byte & 0x80) {
    byte = bytes[next++]!;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next };
}
