import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { getErrorCode } from "../../base/errors.ts";
import { blankOutSection, isOwnFile } from "../../base/files/text-file.ts";
import { decodeText } from "../../base/text/decode.ts";
import type { FileStamp, SkipReason } from "../../store/index/records.ts";
import { isBuildOutput } from "./build-output.ts";
import { hasGeneratedHeader, isGeneratedName, isSecretName, withoutMinified } from "./file-kind.ts";

/** The result of reading a path. `size` (bytes) and `mtimeMs` (whole ms) belong to the version that was read. */
type SourceRead =
  | {
      kind: "text";
      /** Without byte order mark, and with blank lines for what is minified or Pommel put there; line ends as they are in the file. */
      text: string;
      /** SHA-256 of the bytes, the first 32 hex digits. */
      hash: string;
      /** A compiler or a bundler wrote it. */
      isBuilt: boolean;
      size: number;
      mtimeMs: number;
    }
  | { kind: "skip"; reason: SkipReason; size: number; mtimeMs: number }
  /** Missing, or not a regular file. */
  | { kind: "gone" };

/**
 * Do not follow a link or block on a pipe that replaced the file. Windows has neither flag (undefined there, which `|`
 * takes for 0).
 */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Errors of `open` that mean: there is no such regular file (ELOOP: a link, ENXIO: a socket). */
const goneCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ESTALE"]);

/**
 * Reads a source file and decides whether it is worth indexing. Synchronous, for worker threads. Never throws for the
 * state of the file system: an inaccessible file is skipped as "unreadable".
 * @param stamp the file's path in the project and the scan's view of it (returned if the file cannot even be opened)
 * @param options.maxFileSize bytes; a larger file is skipped without reading it
 */
export function readSource(
  absolutePath: string,
  stamp: FileStamp,
  options: { maxFileSize: number },
): SourceRead {
  let seen: { size: number; mtimeMs: number } = { size: stamp.size, mtimeMs: stamp.mtimeMs };
  const skip = (reason: SkipReason): SourceRead => ({ kind: "skip", reason, ...seen });
  let fd: number;
  try {
    fd = openSync(absolutePath, openFlags);
  } catch (error) {
    return goneCodes.has(getErrorCode(error)) ? { kind: "gone" } : skip("unreadable");
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { kind: "gone" };
    // Taken before reading: should the file change meanwhile, the next scan sees a newer stamp than this.
    seen = { size: stat.size, mtimeMs: Math.trunc(stat.mtimeMs) };
    if (isSecretName(stamp.path)) return skip("secret");
    if (isGeneratedName(stamp.path)) return skip("generated");
    if (stat.size > options.maxFileSize) return skip("too_large");

    const bytes = readUpTo(fd, stat.size);
    const text = decodeText(bytes);
    if (text === null) return skip("binary");
    const written = withoutMinified(stamp.path, text);
    if (written === null) return skip("minified");
    if (hasGeneratedHeader(stamp.path, text)) return skip("generated");
    const indexed = withoutOwnText(stamp.path, written);
    if (indexed === null) return skip("generated");
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
    return { kind: "text", text: indexed, hash, isBuilt: isBuildOutput(stamp.path, text), ...seen };
  } catch {
    return skip("unreadable");
  } finally {
    closeSync(fd);
  }
}

/** The first `size` bytes, or fewer if the file was cut meanwhile. */
function readUpTo(fd: number, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(fd, buffer, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/**
 * Pommel's own text in a project's files is excluded, because it would match every question about search and sessions.
 * It is recognised by content, in every checkout.
 */

/** Settings of agents, wherever agents run. */
const agentSettings =
  /(?:^|\/)(?:\.claude\/settings(?:\.local)?\.json|\.mcp\.json|\.codex\/(?:hooks\.json|config\.toml)|\.gemini\/settings\.json)$/;
const ours = /\bpommel\b|\bpm hook /;

/** A file's indexable text with unchanged line numbers; null when nothing remains. */
function withoutOwnText(path: string, text: string): string | null {
  if (agentSettings.test(path)) return ours.test(text) ? null : text;
  if (!path.endsWith(".md")) return text;
  if (isOwnFile(text)) return null;
  const rest = blankOutSection(text);
  return rest !== text && rest.trim() === "" ? null : rest;
}
