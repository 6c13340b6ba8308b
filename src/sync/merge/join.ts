import { canonicalJson, compareParts, compareText } from "../codec/canonical.ts";

/**
 * How two versions of a value become one. Every function here, and everything put together from them, gives the same
 * whichever version comes first, however many are joined in whatever groups, and however often: it is a join of a
 * semilattice, as in state-based replicated data types (Shapiro et al., "Conflict-free Replicated Data Types", 2011).
 * Null and nothing are less than any value.
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

/** Of two different values always the same one. */
export const maxByCanonical: Join = known((a, b) =>
  compareText(canonicalJson(a), canonicalJson(b)) >= 0 ? a : b,
);
export const least: Join = known<number>(Math.min);
export const greatest: Join = known<number>(Math.max);
export const anyOf: Join = known<boolean>((a, b) => a || b);

/** Placeholders of secrets, and of what the user had cut out. */
const redactions = (text: string) => text.split(/\[REDACTED_|\[FORGOTTEN\]/).length;

/** Where of two versions of a text one was scrubbed, or had something cut out, it is the one that stays. */
export function compareCleanness(a: string, b: string): number {
  return compareParts([redactions(a), -a.length, a], [redactions(b), -b.length, b]);
}

export const mostRedacted: Join = known<string>((a, b) => (compareCleanness(a, b) >= 0 ? a : b));

/** Joins lists of things that are told apart by a key; the result is in the order of the keys. */
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

/** Fields that say something together only: all of them come from the one version that compares as greater. */
export interface Together {
  fields: readonly string[];
  compare(a: Fields, b: Fields): number;
}

/**
 * Joins two objects field by field.
 * @param joins of fields; others, those that only newer clients know among them, are joined by `either`
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
