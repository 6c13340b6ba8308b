import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../errors.ts";
import { isInside, toCanonicalPath, toRealPath } from "../paths.ts";
import { isAlive } from "./file-lock.ts";
import { discardDraft, makeDraftPath, replaceFile } from "./replace-file.ts";

/**
 * Pommel's text in users' files: a section between two markers, or a whole file that ends with one. A marker has a
 * version and the hash of its text, which distinguishes an older Pommel's text from an edited one, in every checkout
 * and without a record.
 */

export const ended = "<!-- pommel:end -->";
const begun = /^<!-- pommel:begin v(\d+) ([0-9a-f]{8})\b[^\r\n]*-->[ \t]*$/gm;
/** Scripts have it in a comment. */
export const signed = /^(?:\/\/ )?<!-- pommel:file v(\d+) ([0-9a-f]{8})\b[^\r\n]*-->\s*$/m;

export interface ManagedBlock {
  start: number;
  /** After the end marker, before its line break. */
  end: number;
  body: string;
  hash: string;
  /** Version of the text. */
  version: number;
}

/** The section in a text; "odd" for several, or one without an end. */
export function findSection(text: string): ManagedBlock | "odd" | null {
  const begins = [...text.matchAll(begun)];
  const ends = text.split(ended).length - 1;
  if (begins.length === 0 && ends === 0) return null;
  const [begin] = begins;
  const end = text.indexOf(ended);
  if (!begin || begins.length > 1 || ends !== 1 || end < begin.index) return "odd";
  const body = text.slice(begin.index + begin[0].length, end);
  return { start: begin.index, end: end + ended.length, body, hash: begin[2]!, version: Number(begin[1]) };
}

/** Blanks out Pommel's section and keeps all line numbers. */
export function blankOutSection(text: string): string {
  const found = findSection(text);
  if (found === null || found === "odd") return text;
  const blank = text.slice(found.start, found.end).replace(/[^\r\n]+/g, "");
  return text.slice(0, found.start) + blank + text.slice(found.end);
}

/** Whether Pommel wrote the whole file. */
export const isOwnFile = (text: string): boolean => signed.test(text);

const bom = "\ufeff";

/** A file's text without its byte order mark. */
export interface FileText {
  body: string;
  hasBom: boolean;
}

/**
 * The text of a file; null when missing.
 * @throws PommelError `settings_invalid` when it is not UTF-8, `unreadable`
 */
export function readFileText(file: string): FileText | null {
  let bytes: Buffer;
  try {
    // Reading a pipe would block.
    if (statSync(file).isFIFO()) throw new Error("it is a pipe");
    bytes = readFileSync(file);
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw new PommelError(
      "unreadable",
      `Cannot read ${file}: ${getErrorMessage(error)}.`,
      "Check that it is a regular file that you may read.",
      { cause: error },
    );
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw makeInvalidSettingsError(`${file}:1:1`, "is not UTF-8 text");
  }
  const hasBom = text.startsWith(bom);
  return { body: hasBom ? text.slice(1) : text, hasBom };
}

/** Writes a text with its byte order mark; see `writeInPlace`. */
export function writeFileText(file: string, { body, hasBom }: FileText): void {
  writeInPlace(file, (hasBom ? bom : "") + body);
}

/**
 * Replaces or creates a user's file atomically; keeps links and permissions.
 * @throws PommelError `unreadable`, `disk_full`
 */
function writeInPlace(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const target = resolveTarget(file);
    const before = statSync(target, { throwIfNoEntry: false });
    // Respect a read-only file, although replacing it needs no write permission.
    if (before) accessSync(target, constants.W_OK);
    removeDrafts(target);
    replaceFile(target, content, {
      mode: before ? before.mode & 0o7777 : 0o666 & ~process.umask(),
      owner: before ?? null,
    });
  } catch (error) {
    throw makeUnwritableError(file, error);
  }
}

export function makeUnwritableError(file: string, error: unknown): PommelError {
  return new PommelError(
    getErrorCode(error) === "ENOSPC" ? "disk_full" : "unreadable",
    `Cannot write ${file}: ${getErrorMessage(error)}.`,
    "Check that you can write the file and its directory, and that the disk has room.",
    { cause: error },
  );
}

/** Removes drafts of killed processes. */
function removeDrafts(target: string): void {
  const dir = dirname(target);
  const start = basename(makeDraftPath(target)).replace(/\d+$/, "");
  for (const name of readdirSync(dir)) {
    const pid = name.startsWith(start) ? name.slice(start.length) : "";
    if (/^\d+$/.test(pid) && !isAlive(Number(pid))) discardDraft(join(dir, name));
  }
}

/** A link's target, which may not exist yet. */
export function resolveTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") throw error;
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? resolve(dirname(file), readlinkSync(file)) : file;
  }
}

/**
 * Refuses to write to a file of a checkout through a link that leads out of it: whoever wrote the repository may have
 * committed the link.
 * @throws PommelError `settings_invalid`
 */
export function refuseOutside(root: string, file: string): void {
  if (!isLinkedOutside(root, file)) return;
  const target = resolveThroughLinks(file);
  throw new PommelError(
    "settings_invalid",
    `${file} leads out of the repository, to ${target}; nothing was written.`,
    "Replace the link with a file inside the repository, or leave this agent out.",
  );
}

/** Whether a file of a checkout is reached through a link that leads out of it. */
export const isLinkedOutside = (root: string, file: string): boolean =>
  isInside(file, root) && !isInside(resolveThroughLinks(file), toRealPath(root));

/** The file itself behind all links, as far as the path exists. */
function resolveThroughLinks(path: string): string {
  try {
    return toCanonicalPath(path);
  } catch {
    if (isLink(path)) return resolveThroughLinks(resolve(dirname(path), readlinkSync(path)));
    return dirname(path) === path ? path : join(resolveThroughLinks(dirname(path)), basename(path));
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Not there, or below a file.
    return false;
  }
}

/** The error for a user's file that cannot be edited. */
export function makeInvalidSettingsError(where: string, what: string): PommelError {
  return new PommelError(
    "settings_invalid",
    `${where} ${what}; the file was left as it is.`,
    "Fix the file, then run the command again. The agent cannot read it either.",
  );
}
