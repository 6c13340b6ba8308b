import type * as z from "zod/mini";
import { compareText, toCanonicalJson } from "../codec/codec.ts";
import { joinSessions, joinTranscripts, tidyTurn } from "../merge/join.ts";
import {
  joinAttributions,
  joinCheckpoints,
  joinEvents,
  joinNotes,
  tidyAttribution,
  tidyCheckpoint,
  tidyEvent,
} from "../merge/join-git.ts";
import { joinSignatures } from "../origin/signed-list.ts";
import {
  attributionShape,
  checkpointShape,
  eventShape,
  noteShape,
  type SharedAttribution,
  type SharedCheckpoint,
  type SharedEvent,
  type SharedNote,
  type SharedSession,
  type SharedSignature,
  type SharedTurn,
  sessionShape,
  signatureShape,
  turnShape,
} from "../records/records.ts";

/** Signatures come first: they tell whose the others are. */
export const sharedKinds = [
  "signature",
  "session",
  "annotation",
  "checkpoint",
  "attribution",
  "event",
] as const;
export type SharedKind = (typeof sharedKinds)[number];
/** Kinds of what a memory holds. */
export type RecordKind = Exclude<SharedKind, "signature">;

/** A shared item; an attribution's id is the commit's hash. */
export interface Thing {
  kind: SharedKind;
  id: string;
}

/** A file of an item. Sessions have two, all others one. */
export interface SharedPart extends Thing {
  part: "meta" | "transcript" | "whole";
}

/** The record in each kind of file. */
export interface SharedRecords {
  meta: SharedSession;
  transcript: SharedTurn[];
  annotation: SharedNote;
  checkpoint: SharedCheckpoint;
  attribution: SharedAttribution;
  event: SharedEvent;
  signature: SharedSignature;
}
export type FileType = keyof SharedRecords;

export const chooseFileType = ({ kind, part }: Pick<SharedPart, "kind" | "part">): FileType =>
  kind === "session" ? (part === "meta" ? "meta" : "transcript") : kind;

/** A file's record, and the number of malformed lines (of a transcript) or files. */
interface Decoded<T extends FileType = FileType> {
  record: SharedRecords[T] | null;
  malformed: number;
}

/** How to parse, normalise and join a kind of record. */
interface Type<T> {
  parse(text: string): { record: T | null; malformed: number };
  write(record: T): string;
  join(a: T, b: T): T;
}

function parseOne<T>(text: string, shape: z.ZodMiniType<T>): T | null {
  try {
    const parsed = shape.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function createObjectType<T>(
  shape: z.ZodMiniType<T>,
  join: (a: T, b: T) => T,
  tidy: (record: T) => T,
): Type<T> {
  return {
    parse(text) {
      const record = parseOne(text, shape);
      return record === null ? { record, malformed: 1 } : { record: tidy(record), malformed: 0 };
    },
    write: (record) => `${toCanonicalJson(tidy(record))}\n`,
    join,
  };
}

const transcript: Type<SharedTurn[]> = {
  parse(text) {
    const lines = text.split("\n").filter((line) => line !== "");
    const turns = lines.flatMap((line) => parseOne(line, turnShape) ?? []);
    return {
      record: joinTranscripts(turns.map(tidyTurn), []),
      malformed: lines.length - turns.length,
    };
  },
  write: (turns) =>
    joinTranscripts(turns.map(tidyTurn), [])
      .map((turn) => `${toCanonicalJson(turn)}\n`)
      .join(""),
  join: joinTranscripts,
};

const types: { [T in FileType]: Type<SharedRecords[T]> } = {
  meta: createObjectType(sessionShape, joinSessions, (record) => joinSessions(record, { ...record })),
  transcript,
  annotation: createObjectType(noteShape, joinNotes, (record) => record),
  checkpoint: createObjectType(checkpointShape, joinCheckpoints, tidyCheckpoint),
  attribution: createObjectType(attributionShape, joinAttributions, tidyAttribution),
  event: createObjectType(eventShape, joinEvents, tidyEvent),
  signature: createObjectType(signatureShape, joinSignatures, (record) => record),
};

export function decode<T extends FileType>(type: T, text: string): Decoded<T> {
  return types[type].parse(text) as Decoded<T>;
}

/** A record's canonical text. */
export function encode<T extends FileType>(type: T, record: SharedRecords[T]): string {
  return types[type].write(record);
}

/** Joins two versions of a file. A valid one beats a malformed one; of an unknown kind, a deterministic one wins. */
export function joinTexts(place: Pick<SharedPart, "kind" | "part"> | null, a: string, b: string): string {
  if (a === b) return a;
  const some = compareText(a, b) >= 0 ? a : b;
  if (place === null) return some;
  return joinAs(chooseFileType(place), a, b) ?? some;
}

function joinAs<T extends FileType>(type: T, a: string, b: string): string | null {
  const [one, other] = [decode(type, a), decode(type, b)];
  const isNothing = ({ record, malformed }: Decoded) =>
    record === null || (malformed > 0 && Array.isArray(record) && record.length === 0);
  if (isNothing(one)) return isNothing(other) ? null : encode(type, other.record!);
  if (isNothing(other)) return encode(type, one.record!);
  return encode(type, types[type].join(one.record!, other.record!));
}
