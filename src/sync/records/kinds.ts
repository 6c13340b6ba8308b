import { encode, type RecordKind, type SharedRecords } from "../branch/shared-file.ts";
import {
  type ExportWork,
  exportAttribution,
  exportCheckpoint,
  exportEvent,
  exportNote,
} from "./from-memory.ts";
import { type IsNew, importAttribution, importCheckpoint, importEvent, importNote } from "./to-memory.ts";

/** What is shared as one record; a session is shared in parts. */
export type WholeKind = Exclude<RecordKind, "session">;

interface Exchange<T> {
  exportOne(work: ExportWork, id: string): T | null;
  importOne(work: ExportWork, record: T): IsNew | Promise<IsNew>;
  readId(record: T): string;
}

const exchanges: { [K in WholeKind]: Exchange<SharedRecords[K]> } = {
  annotation: { exportOne: exportNote, importOne: importNote, readId: ({ uid }) => uid },
  checkpoint: { exportOne: exportCheckpoint, importOne: importCheckpoint, readId: ({ uid }) => uid },
  attribution: {
    exportOne: exportAttribution,
    importOne: importAttribution,
    readId: ({ commit }) => commit.hash,
  },
  event: { exportOne: exportEvent, importOne: importEvent, readId: ({ uid }) => uid },
};

/** A record of this memory as canonical text; null when there is nothing to share. */
export function exportText<K extends WholeKind>(work: ExportWork, kind: K, id: string): string | null {
  const record = exchanges[kind].exportOne(work, id);
  return record === null ? null : encode(kind, record);
}

export const importRecord = <K extends WholeKind>(
  work: ExportWork,
  kind: K,
  record: SharedRecords[K],
): IsNew | Promise<IsNew> => exchanges[kind].importOne(work, record);

/** What it is filed under: of an attribution the commit's hash. */
export const readRecordId = <K extends WholeKind>(kind: K, record: SharedRecords[K]): string =>
  exchanges[kind].readId(record);
