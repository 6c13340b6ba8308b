import { PommelError } from "../../project/errors.ts";
import { decode, type FileType, type SharedRecords } from "../branch/shared-file.ts";
import type { ExportWork } from "../records/from-memory.ts";
import { nameless } from "../records/import-records.ts";
import type { SharedSession, SharedTurn } from "../records/records.ts";
import { importAnnotation, importAttribution, importCheckpoint, importEvent } from "../records/to-memory.ts";
import { importSession } from "../records/to-memory-session.ts";
import { noCounts, type SyncCounts } from "../report.ts";
import { endOf, fileVersion, type Kind, type MemoryLine, readLine, versionOf } from "./memory-line.ts";

export interface MemoryImport {
  /** Records of the file that were read. */
  records: number;
  /** What is new here. */
  imported: SyncCounts;
  /** Sessions and notes that were forgotten here, and stay so. */
  forgotten: number;
  /** Lines that were skipped, from 1, and why. */
  problems: { line: number; reason: string }[];
}

interface ImportOptions {
  /** Only read the file. */
  dryRun?: boolean;
  onProgress?: (lines: number) => void;
  signal?: AbortSignal;
}

/**
 * Imports an export of a memory. Idempotent: records have the ids of synchronisation, and are joined in the same way.
 * Lines that are not understood are skipped and named.
 * @throws PommelError `unreadable` for another file, or one of a newer Pommel
 */
export async function importMemory(
  exportWork: ExportWork,
  lines: AsyncIterable<string>,
  { dryRun = false, onProgress, signal }: ImportOptions = {},
): Promise<MemoryImport> {
  const result: MemoryImport = { records: 0, imported: noCounts(), forgotten: 0, problems: [] };
  let open = null as { meta: SharedSession; turns: SharedTurn[] } | null;
  const finish = async () => {
    if (open === null) return;
    const { meta, turns } = open;
    open = null;
    if (dryRun) return;
    const taken = await importSession(exportWork, meta, turns, signal);
    if (taken === null) result.forgotten++;
    else {
      if (taken.isNew || taken.turns > 0) result.imported.sessions++;
      result.imported.turns += taken.turns;
    }
  };
  let number = 0;
  let promised: number | null = null;
  for await (const text of lines) {
    signal?.throwIfAborted();
    number++;
    onProgress?.(number);
    if (number === 1) {
      refuseOther(versionOf(text));
      continue;
    }
    if (text.trim() === "") continue;
    const end = endOf(text);
    if (end !== null) {
      promised = end;
      continue;
    }
    const problem = (reason: string) => result.problems.push({ line: number, reason });
    const line = readLine(text);
    if (line === null) {
      problem("not understood");
      continue;
    }
    const { kind } = line;
    if (kind === "session" || kind === "turn") {
      const session = kind === "session" ? recordIn(line, "meta") : null;
      const turn = kind === "turn" && line.session !== undefined ? recordIn(line, "transcript")?.[0] : null;
      if (session !== null) {
        await finish();
        open = { meta: session, turns: [] };
      } else if (turn && line.session !== undefined) {
        if (open?.meta.uid !== line.session) {
          await finish();
          open = { meta: nameless(line.session), turns: [] };
        }
        open?.turns.push(turn);
      } else {
        problem(`not a ${kind}`);
        continue;
      }
      result.records++;
      continue;
    }
    await finish();
    const isNew = await importOne(exportWork, line, kind, dryRun);
    if (isNew === undefined) {
      problem(`not ${kind === "attribution" || kind === "event" ? "an" : "a"} ${kind}`);
      continue;
    }
    result.records++;
    if (isNew === null) result.forgotten++;
    else if (isNew) result.imported[countOf[kind]]++;
  }
  await finish();
  if (number === 0) refuseOther(null);
  if (promised === null) {
    result.problems.push({
      line: number,
      reason: "the file ends here, before its last line: it was cut off",
    });
  } else if (promised !== result.records) {
    const missing = promised - result.records;
    if (missing > result.problems.length)
      result.problems.push({
        line: number,
        reason: `${missing - result.problems.length} records are missing`,
      });
  }
  return result;
}

const countOf = {
  note: "annotations",
  event: "events",
  checkpoint: "checkpoints",
  attribution: "attributions",
} as const;

/** @throws PommelError `unreadable` */
function refuseOther(version: number | null): void {
  if (version === null)
    throw new PommelError(
      "unreadable",
      "The file is no export of a Pommel memory.",
      "Make one with `pm memory export --all --to FILE`.",
    );
  if (version > fileVersion)
    throw new PommelError("unreadable", "A newer Pommel wrote the file.", "Update Pommel.");
}

/** @returns whether it is new, null when it was forgotten; undefined: it is not understood */
async function importOne(
  exportWork: ExportWork,
  line: MemoryLine,
  kind: Exclude<Kind, "session" | "turn">,
  dryRun: boolean,
): Promise<boolean | null | undefined> {
  const use = async <T extends FileType>(
    type: T,
    importIt: (work: ExportWork, record: SharedRecords[T]) => boolean | null | Promise<boolean | null>,
  ) => {
    const record = recordIn(line, type);
    if (record === null) return undefined;
    return dryRun ? false : importIt(exportWork, record);
  };
  switch (kind) {
    case "note":
      return use("annotation", importAnnotation);
    case "event":
      return use("event", importEvent);
    case "checkpoint":
      return use("checkpoint", importCheckpoint);
    case "attribution":
      return use("attribution", importAttribution);
  }
}

function recordIn<T extends FileType>({ record }: MemoryLine, type: T): SharedRecords[T] | null {
  const read = decode(type, JSON.stringify(record));
  return read.malformed > 0 ? null : read.record;
}
