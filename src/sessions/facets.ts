import { getOrCreate } from "../base/multimap.ts";

/** Values of a facet that are given. */
const facetSize = 12;

/** The most common values, each with how often it is there; values that differ in letter case only are one. */
export function countFacet(values: readonly string[]): { value: string; sessions: number }[] {
  const counts = new Map<string, { value: string; sessions: number }>();
  for (const value of values)
    getOrCreate(counts, value.toLowerCase(), () => ({ value, sessions: 0 })).sessions++;
  return [...counts.values()]
    .sort((a, b) => b.sessions - a.sessions || (a.value < b.value ? -1 : 1))
    .slice(0, facetSize);
}
