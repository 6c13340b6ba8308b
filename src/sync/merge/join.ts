import { sessions, titleSources } from "../../store/tables/sessions.ts";
import type { ColumnMerge, Table, TableColumn } from "../../store/tables/table.ts";
import { turns } from "../../store/tables/turns.ts";
import { compareParts, compareText, toCanonicalJson } from "../codec/codec.ts";
import type { SharedLine, SharedSession, SharedTurn, SharedUsage } from "../records/records.ts";
import { listSharedColumns } from "../records/shared-rows.ts";

/**
 * Joins two versions of a value. Every function here, and every combination, is commutative, associative and
 * idempotent: a semilattice join, as in state-based replicated data types (Shapiro et al., "Conflict-free Replicated
 * Data Types", 2011). Null and undefined are less than any value.
 */
export type Join<T = unknown> = (a: T, b: T) => T;

export type Fields = Record<string, unknown>;

const isNone = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Lifts a join to values that may be missing. */
const joinOptional =
  <T>(join: Join<T>): Join =>
  (a, b) => {
    if (isNone(a)) return isNone(b) ? null : b;
    return isNone(b) ? a : join(a as T, b as T);
  };

/** A deterministic choice of two values. */
const maxByCanonical: Join = joinOptional((a, b) =>
  compareText(toCanonicalJson(a), toCanonicalJson(b)) >= 0 ? a : b,
);
const joinToLeast: Join = joinOptional<number>(Math.min);
export const greatest: Join = joinOptional<number>(Math.max);

/** Counts placeholders of secrets and forgotten text. */
const countPlaceholders = (text: string) => text.split(/\[REDACTED_|\[FORGOTTEN\]/).length;

/** The version with more redactions wins. */
function compareCleanness(a: string, b: string): number {
  return compareParts([countPlaceholders(a), -a.length, a], [countPlaceholders(b), -b.length, b]);
}

const mostRedacted: Join = joinOptional<string>((a, b) => (compareCleanness(a, b) >= 0 ? a : b));

const joinUnion: Join = (a, b) =>
  [...new Set([...((a ?? []) as unknown[]), ...((b ?? []) as unknown[])])].sort((one, other) =>
    compareParts([one as number | string], [other as number | string]),
  );

/** The value that stands first among all. */
const joinToFirst = (values: readonly unknown[]): Join =>
  joinOptional((a, b) => (values.indexOf(a) <= values.indexOf(b) ? a : b));

const joins: Readonly<Record<ColumnMerge, Join>> = {
  first: maxByCanonical,
  latest: maxByCanonical,
  least: joinToLeast,
  greatest,
  any: joinOptional<boolean>((a, b) => a || b),
  union: joinUnion,
  redacted: mostRedacted,
};

const chooseJoin = ({ merge = "first", values }: TableColumn): Join =>
  merge === "least" && values !== undefined ? joinToFirst(values) : joins[merge];

/** How a table's shared columns are joined, by their names in the record. */
export const chooseJoins = (table: Table): Record<string, Join> =>
  Object.fromEntries(listSharedColumns(table).map(({ name, column }) => [name, chooseJoin(column)]));

/** The names of a table's columns that come from one version together. */
export const listNamesTogether = (table: Table, group: string): string[] =>
  listSharedColumns(table).flatMap(({ name, column }) => (column.together === group ? [name] : []));

/** Joins lists by key, sorted by key. */
export function joinByKey<T>(keyOf: (item: T) => string, join: Join<T>): Join {
  return joinOptional<T[]>((a, b) => {
    const all = new Map<string, T>();
    for (const item of [...a, ...b]) {
      const key = keyOf(item);
      const other = all.get(key);
      all.set(key, other === undefined ? item : join(other, item));
    }
    return [...all].sort(([one], [two]) => compareText(one, two)).map(([, item]) => item);
  });
}

/** Fields that belong together: all come from the greater version. */
export interface Together {
  fields: readonly string[];
  compare(a: Fields, b: Fields): number;
}

/**
 * Joins two objects field by field.
 * @param joins by field; other fields, including those of newer clients, use `maxByCanonical`
 */
export function joinFields(
  a: Fields,
  b: Fields,
  joins: Readonly<Record<string, Join>>,
  together: readonly Together[] = [],
): Fields {
  const joined: [string, unknown][] = [];
  const done = new Set<string>();
  for (const { fields, compare } of together) {
    // A field that an older Pommel's version lacks is no value: it is not null, and stays missing.
    const values = (of: Fields) =>
      toCanonicalJson(fields.map((field) => (of[field] === undefined ? [] : [of[field]])));
    const order = compare(a, b) || compareText(values(a), values(b));
    const winner = order >= 0 ? a : b;
    for (const field of fields) {
      done.add(field);
      if (winner[field] !== undefined) joined.push([field, winner[field]]);
    }
  }
  for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (done.has(field)) continue;
    const join = Object.hasOwn(joins, field) ? joins[field]! : maxByCanonical;
    const value = join(a[field], b[field]);
    if (value !== undefined) joined.push([field, value]);
  }
  return Object.fromEntries(joined);
}

type SharedSummary = SharedSession["summaries"][number];

/** Last location and end: from the version with the most lines. */
const whereabouts: Together = {
  fields: listNamesTogether(sessions, "whereabouts"),
  compare: (a, b) => {
    const order = ({ last_at, ended_at, branch }: Fields) => [last_at, ended_at, branch] as (number | null)[];
    return compareParts(order(a), order(b));
  },
};

const title: Together = {
  fields: [...listNamesTogether(sessions, "title"), "title_at"],
  compare: (a, b) => {
    const order = ({ title_source: source, title_at }: Fields) => [
      (titleSources as readonly unknown[]).indexOf(source),
      title_at as number | null,
    ];
    return compareParts(order(a), order(b)) || compareCleanness(String(a.title), String(b.title));
  },
};

/** Keeps all of the agent's summaries, and the language model's with the most lines. */
function joinSummaries(a: unknown, b: unknown): unknown {
  const better = (one: SharedSummary, other: SharedSummary) =>
    (compareParts([one.up_to_turn, one.at], [other.up_to_turn, other.at]) ||
      compareCleanness(one.text, other.text) ||
      compareText(toCanonicalJson(one), toCanonicalJson(other))) >= 0
      ? one
      : other;
  return joinByKey<SharedSummary>(
    ({ source, up_to_turn }) => (source === "llm" ? "llm" : `compaction ${up_to_turn}`),
    better,
  )(a, b);
}

export function joinSessions(a: SharedSession, b: SharedSession): SharedSession {
  const joins = { ...chooseJoins(sessions), summaries: joinSummaries };
  return joinFields(a, b, joins, [whereabouts, title]) as SharedSession;
}

/** Versions of a line scrubbed by different rules, or partly forgotten. */
function joinLines(a: SharedLine, b: SharedLine): SharedLine {
  const words = (line: SharedLine) => toCanonicalJson({ ...line, seq: 0, at: 0 });
  const seq = Math.min(a.seq, b.seq);
  const at = greatest(a.at, b.at) as number | null;
  return { ...(compareCleanness(words(a), words(b)) >= 0 ? a : b), seq, at };
}

const formatLineKey = ({ uid, seq }: SharedLine) => uid ?? `#${seq}`;
const joinAllLines = joinByKey(formatLineKey, joinLines);

const joinUsage = joinByKey<SharedUsage>(
  ({ message }) => message,
  (a, b) => {
    const order = a.output - b.output || compareText(toCanonicalJson(a), toCanonicalJson(b));
    return order >= 0 ? a : b;
  },
);

const findLastAt = (turn: Fields) =>
  (turn as SharedTurn).lines.reduce((latest, { at }) => Math.max(latest, at ?? -1), -1);

const branchOfLatest: Together = {
  fields: listNamesTogether(turns, "latest"),
  compare: (a, b) =>
    compareParts([findLastAt(a), a.branch as string | null], [findLastAt(b), b.branch as string | null]),
};

export function joinTurns(a: SharedTurn, b: SharedTurn): SharedTurn {
  const joins = { ...chooseJoins(turns), lines: joinAllLines, usage: joinUsage, also: joinPlaces };
  const { also, lines, ...rest } = joinFields(a, b, joins, [branchOfLatest]) as SharedTurn;
  return tidyTurn({ ...rest, also, lines });
}

function joinPlaces(a: unknown, b: unknown): unknown {
  const joined = new Map(Object.entries((a ?? {}) as Record<string, number>));
  for (const [uid, seq] of Object.entries((b ?? {}) as Record<string, number>)) {
    joined.set(uid, Math.min(seq, joined.get(uid) ?? seq));
  }
  return Object.fromEntries(joined);
}

/** Sorts lines, and removes lines with content from `also`. */
export function tidyTurn(turn: SharedTurn): SharedTurn {
  const each = joinAllLines(turn.lines, []) as SharedLine[];
  const lines = each.sort((a, b) => a.seq - b.seq || compareText(formatLineKey(a), formatLineKey(b)));
  const said = new Set(lines.map(({ uid }) => uid));
  const also = Object.fromEntries(Object.entries(turn.also).filter(([uid]) => !said.has(uid)));
  const usage = [...turn.usage].sort((a, b) => compareText(a.message, b.message));
  return { ...turn, lines, also, usage };
}

/** Joins turns by id, in order. */
export function joinTranscripts(a: readonly SharedTurn[], b: readonly SharedTurn[]): SharedTurn[] {
  const joined = joinByKey<SharedTurn>(({ id }) => id, joinTurns)(a, b) as SharedTurn[];
  return joined.sort((one, other) => one.number - other.number || compareText(one.id, other.id));
}
