import { canonicalJson, compareParts, compareText } from "../codec/codec.ts";

/**
 * Joins two versions of a value. Every function here, and every combination, is commutative, associative and
 * idempotent: a semilattice join, as in state-based replicated data types (Shapiro et al., "Conflict-free Replicated
 * Data Types", 2011). Null and undefined are less than any value.
 */
export type Join<T = unknown> = (a: T, b: T) => T;

export type Fields = Record<string, unknown>;

const isNone = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Lifts a join to values that may be missing. */
const known =
  <T>(join: Join<T>): Join =>
  (a, b) => {
    if (isNone(a)) return isNone(b) ? null : b;
    return isNone(b) ? a : join(a as T, b as T);
  };

/** A deterministic choice of two values. */
export const maxByCanonical: Join = known((a, b) =>
  compareText(canonicalJson(a), canonicalJson(b)) >= 0 ? a : b,
);
export const least: Join = known<number>(Math.min);
export const greatest: Join = known<number>(Math.max);
export const anyOf: Join = known<boolean>((a, b) => a || b);

/** Counts placeholders of secrets and forgotten text. */
const redactions = (text: string) => text.split(/\[REDACTED_|\[FORGOTTEN\]/).length;

/** The version with more redactions wins. */
export function compareCleanness(a: string, b: string): number {
  return compareParts([redactions(a), -a.length, a], [redactions(b), -b.length, b]);
}

export const mostRedacted: Join = known<string>((a, b) => (compareCleanness(a, b) >= 0 ? a : b));

/** Joins lists by key, sorted by key. */
export function unionBy<T>(keyOf: (item: T) => string, join: Join<T>): Join {
  return known<T[]>((a, b) => {
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
    const values = ({ ...of }: Fields) => canonicalJson(fields.map((field) => of[field] ?? null));
    const order = compare(a, b) || compareText(values(a), values(b));
    const winner = order >= 0 ? a : b;
    for (const field of fields) {
      done.add(field);
      if (field in a || field in b) joined.push([field, winner[field] ?? null]);
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
