/** Adds a value to those of a key. */
export function addTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** A map's value for a key, created if missing. */
export function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** The values of a map by descending count, equal ones in order of insertion. */
export const sortByCount = <V>(map: ReadonlyMap<unknown, V>, countOf: (value: V) => number): V[] =>
  [...map.values()].sort((a, b) => countOf(b) - countOf(a));
