import type { Memory } from "./memory.ts";

/** Lines that showed up in a file together. */
export interface Observation {
  /** The file's mtime; milliseconds since the epoch. */
  at: number;
  /** Of the lines (attribution/lines/line-keys.ts), 32 bits each. */
  keys: number[];
}

/** Notes that lines showed up in a file; nothing when there are none. */
export function saveObservation(memory: Memory, seen: Observation & { path: string }): void {
  const { path, at, keys } = seen;
  if (keys.length === 0) return;
  memory.change(
    "INSERT INTO observations (path, at, keys) VALUES (?, ?, ?)",
    path,
    Math.round(at),
    new Uint8Array(Uint32Array.from(keys).buffer),
  );
}

/** The files in which anything showed up in a time, both ends included. */
export function findObservedPaths(
  memory: Memory,
  { since, until }: { since: number; until: number },
): Set<string> {
  return new Set(
    memory.readColumn<string>(
      "SELECT DISTINCT path FROM observations WHERE at BETWEEN ? AND ?",
      since,
      until,
    ),
  );
}

/** What showed up in a file in a time, both ends included; the earliest first. */
export function listObservationsOfFile(
  memory: Memory,
  path: string,
  { since, until }: { since: number; until: number },
): Observation[] {
  const rows = memory.all<{ at: number; keys: Uint8Array }>(
    "SELECT at, keys FROM observations WHERE path = ? AND at BETWEEN ? AND ? ORDER BY at, id",
    path,
    since,
    until,
  );
  return rows.map(({ at, keys }) => ({ at, keys: unpack(keys) }));
}

/** What showed up in all files in a time, both ends included; the earliest first. */
export function listObservationsBetween(
  memory: Memory,
  { since, until }: { since: number; until: number },
): (Observation & { path: string })[] {
  const rows = memory.all<{ path: string; at: number; keys: Uint8Array }>(
    "SELECT path, at, keys FROM observations WHERE at BETWEEN ? AND ? ORDER BY at, id",
    since,
    until,
  );
  return rows.map(({ path, at, keys }) => ({ path, at, keys: unpack(keys) }));
}

/** Since when it is known what showed up in files: the earliest that is stored; infinite where nothing is. */
export function findObservedSince(memory: Memory): number {
  const found = memory.readValue<number | null>("SELECT min(at) FROM observations");
  return found ?? Number.POSITIVE_INFINITY;
}

/** Drops observations from before a time. @returns how many there were */
export function dropObservations(memory: Memory, before: number): number {
  return memory.change("DELETE FROM observations WHERE at < ?", before);
}

function unpack(bytes: Uint8Array): number[] {
  // What SQLite gives need not lie where 32-bit numbers may.
  const copy = new Uint8Array(bytes);
  return [...new Uint32Array(copy.buffer, 0, copy.byteLength >> 2)];
}
