import { describeKind, isValidAs } from "../../protocol/outside.ts";
import { findKnownLines } from "../../store/memory/sessions/transcripts.ts";
import { type Files, listChangedNames, type Tip } from "../branch/branch.ts";
import { buildItemPath, parseItemPath } from "../branch/manifest.ts";
import {
  chooseFileType,
  decode,
  type FileType,
  type SharedKind,
  type SharedPart,
  type SharedRecords,
  sharedKinds,
  type Thing,
} from "../branch/shared-file.ts";
import type { SignedRecords } from "../origin/signed-records.ts";
import { makeEmptyCounts, type SyncCounts, toCountName } from "../report.ts";
import { type ExportWork, exportSession } from "./from-memory.ts";
import { exportText, importRecord, readRecordId, type WholeKind } from "./kinds.ts";
import type { SharedTurn } from "./records.ts";
import { importSession, makeNamelessSession } from "./to-memory-session.ts";

interface RecordImportOptions {
  /** Gets the signed lists before all else. */
  signed: SignedRecords;
  /** Only count. */
  dryRun: boolean;
  onProgress?: ((done: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Imports the changes of a tip relative to an imported one. Idempotent. Malformed data is skipped and listed in the
 * files' problems.
 */
export async function importTip(
  exportWork: ExportWork,
  files: Files,
  { tip, before }: { tip: Tip; before: Tip | null },
  options: RecordImportOptions,
): Promise<SyncCounts> {
  const counts = makeEmptyCounts();
  const things = await listThings(files, tip, listChangedNames(tip, before));
  for (const [i, thing] of things.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(i, things.length);
    const { kind, id } = thing;
    if (kind === "signature") await acceptList(files, tip, thing, options);
    else if (kind === "session") await importSessionFrom(exportWork, files, tip, id, counts, options);
    else if (await importOther(exportWork, files, tip, { kind, id }, options)) counts[toCountName(kind)]++;
    // Yield to other tasks.
    if (i % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
  }
  return counts;
}

/** The items of the files; sessions first, parents before subagents. */
async function listThings(files: Files, tip: Tip, names: readonly string[]): Promise<Thing[]> {
  const things = new Map<string, Thing>();
  for (const name of names) {
    const path = files.codec.pathAt(name) ?? (await files.read(tip, name))?.path;
    const place = path === undefined ? null : parseItemPath(path);
    if (place) things.set(`${place.kind} ${place.id}`, { kind: place.kind, id: place.id });
  }
  const order = (kind: SharedKind) => sharedKinds.indexOf(kind);
  return [...things.values()].sort((a, b) => order(a.kind) - order(b.kind) || (a.id < b.id ? -1 : 1));
}

async function recordAt<T extends FileType>(
  files: Files,
  tip: Tip,
  place: SharedPart,
  _type: T,
): Promise<SharedRecords[T] | null> {
  const path = buildItemPath(place);
  const text = await files.readJoined(tip, path);
  if (text === null) return null;
  const { record, malformed } = decode(chooseFileType(place) as T, text);
  if (malformed > 0) {
    const what = place.part === "transcript" ? `${malformed} lines not understood` : "not understood";
    files.problems.set(path, what);
  }
  return record;
}

async function acceptList(
  files: Files,
  tip: Tip,
  { kind, id }: Thing,
  { signed, dryRun }: RecordImportOptions,
): Promise<void> {
  const place: SharedPart = { kind, id, part: "whole" };
  const list = await recordAt(files, tip, place, "signature");
  if (list === null || !isAt(list.uid, place, files) || dryRun) return;
  const refused = signed.accept(list);
  if (refused !== null) files.problems.set(buildItemPath(place), refused);
}

async function importSessionFrom(
  exportWork: ExportWork,
  files: Files,
  tip: Tip,
  uid: string,
  counts: SyncCounts,
  { dryRun, signal }: RecordImportOptions,
): Promise<void> {
  const place = { kind: "session", id: uid } as const;
  // A transcript says nowhere whose it is: the id is that of its path.
  if (!isValidAs("session", uid)) {
    files.problems.set(buildItemPath({ ...place, part: "transcript" }), `not ${describeKind("session")}`);
    return;
  }
  const found = await recordAt(files, tip, { ...place, part: "meta" }, "meta");
  if (found !== null && found.uid !== uid) {
    files.problems.set(buildItemPath({ ...place, part: "meta" }), "belongs to another session");
    return;
  }
  const turns = (await recordAt(files, tip, { ...place, part: "transcript" }, "transcript")) ?? [];
  if (found === null && turns.length === 0) return;
  const meta = found ?? makeNamelessSession(uid);
  if (dryRun) {
    const fresh = countNewTurns(exportWork, turns);
    if (fresh > 0 || exportSession(exportWork, uid) === null) counts.sessions++;
    counts.turns += fresh;
    return;
  }
  const taken = await importSession(exportWork, meta, turns, signal);
  if (taken === null) return;
  if (taken.isNew || taken.turns > 0) counts.sessions++;
  counts.turns += taken.turns;
  if (taken.foreign > 0)
    files.problems.set(
      buildItemPath({ ...place, part: "transcript" }),
      `${taken.foreign} parts left out: whoever the session is of did not sign them`,
    );
}

function countNewTurns({ work }: ExportWork, turns: readonly SharedTurn[]): number {
  return turns.filter(({ lines }) => {
    const uids = lines.flatMap(({ uid }) => uid ?? []);
    return findKnownLines(work.memory, uids).size < uids.length;
  }).length;
}

/** @returns whether it is new */
async function importOther(
  exportWork: ExportWork,
  files: Files,
  tip: Tip,
  { kind, id }: Thing & { kind: WholeKind },
  { dryRun }: RecordImportOptions,
): Promise<boolean> {
  const place: SharedPart = { kind, id, part: "whole" };
  const shared = await recordAt(files, tip, place, kind);
  if (shared === null || !isAt(readRecordId(kind, shared), place, files)) return false;
  if (dryRun) return exportText(exportWork, kind, id) === null;
  return (await importRecord(exportWork, kind, shared)) === true;
}

function isAt(id: string, place: SharedPart, files: Files): boolean {
  if (id === place.id) return true;
  files.problems.set(buildItemPath(place), "belongs to something else");
  return false;
}
