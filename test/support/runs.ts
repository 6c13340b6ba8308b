/**
 * How often a property is tried: a few times with every change, and so many times more where POMMEL_TEST_RUNS says it, as
 * at night. For properties that take long; the others are tried as often each time.
 */
export const runs = (few: number): number => few * Number(process.env.POMMEL_TEST_RUNS || 1);

/** The first, the last, and so many between them, evenly spread: what stands for all where each takes long. */
export function some<T>(all: readonly T[]): T[] {
  const most = Math.min(runs(8), all.length);
  return Array.from(
    { length: most },
    (_, i) => all[Math.round((i * (all.length - 1)) / Math.max(1, most - 1))]!,
  );
}
