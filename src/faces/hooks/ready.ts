import { isAbsolute, relative, resolve, sep } from "node:path";
import { toRealPath } from "../../base/paths.ts";
import type { ContextRequest } from "../../features/context/operation.ts";
import { type ReadyLine, readGivenRefs, readReady } from "../../protocol/ready-context.ts";
import { isStopped, recordTold } from "./told.ts";

/** Reads the context that the daemon has prepared (protocol/ready-context.ts), without asking it. */

export interface ReadyFile {
  head: string;
  tail: string;
  lines: readonly ReadyLine[];
  /** Files that this context tells the agent about. */
  files: readonly string[];
  /** The daemon may know more, so ask it first if there is time. */
  isBehind: boolean;
}

/** The prepared context for a request; null if only the daemon can know it, or if `pm stop` has stopped everything. */
export function readReadyContext(place: string, request: ContextRequest): ReadyFile | null {
  if (isStopped()) return null;
  if (request.event === "session-start") return readReadyAtStart(place, request);
  return request.event === "post-tool-use" ? readReadyForEdit(place, request) : null;
}

/** The context at the start of a session. If a session continues, only the daemon knows what is new, so the result is null. */
function readReadyAtStart(place: string, { source, session_id: own }: ContextRequest): ReadyFile | null {
  const isNew = source === "startup" || source === "clear";
  if (!isNew && source !== "compact") return null;
  const found = readReady(place, "start");
  if (found === null) return null;
  const { head, tail, start, compactions } = found.ready;
  // After a compaction, the session has lost what it was told before, so nothing is dropped.
  const lines = isNew ? dropTold(start, own) : compactions[own];
  return lines === undefined ? null : { head, tail, lines, files: [], isBehind: found.isBehind };
}

/** The context after an edit. The daemon knows more: what is usually run after the edit, and what it reverts. */
function readReadyForEdit(
  place: string,
  { files = [], cwd = place, session_id: own }: ContextRequest,
): ReadyFile | null {
  const [file, ...others] = files;
  const found = readReady(place, "edits");
  if (found === null || file === undefined || others.length > 0) return null;
  const path = relative(found.ready.root, toRealPath(resolve(cwd, file)))
    .split(sep)
    .join("/");
  const about =
    isAbsolute(path) || readGivenRefs(own).includes(`file:${path}`) ? [] : found.ready.files[path];
  if (about === undefined) return null;
  const { head, tail } = found.ready;
  return { head, tail, lines: dropTold(about, own), files: [path], isBehind: true };
}

/** Drops lines that the session said itself, or was told already. */
function dropTold(lines: readonly ReadyLine[], own: string): readonly ReadyLine[] {
  const told = new Set(readGivenRefs(own));
  const isOwn = (session: string | null) => session === own || session?.startsWith(`${own}/`);
  return lines.filter(({ ref, session }) => !told.has(ref) && !isOwn(session));
}

/**
 * The text of the prepared context. Records first that the agent is told.
 * @returns null if there is nothing to tell, or if it cannot be recorded
 */
export function tell(
  { head, tail, lines, files }: ReadyFile,
  place: string,
  { session_id, event }: ContextRequest,
): string | null {
  if (lines.length === 0) return null;
  const text = `${head}${lines.map((line) => line.text).join("\n")}${tail}`;
  const items = [
    ...lines.map(({ ref, why, score }) => ({ ref, why, score })),
    ...files.map((file) => ({ ref: `file:${file}`, why: "edited", score: null })),
  ];
  return recordTold({ place, session_id, event, text, items }) ? text : null;
}
