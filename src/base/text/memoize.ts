import { detachText } from "./detached.ts";

/**
 * A function that remembers its results, for inner loops that meet the same words again and again. It forgets all of them
 * once there are too many: a lookup that keeps the order of use takes twice as long.
 * @param maxTexts results that are remembered
 */
export function memoize<Result extends NonNullable<unknown> | null>(
  maxTexts: number,
  compute: (text: string) => Result,
): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = compute(text);
      if (known.size >= maxTexts) known.clear();
      known.set(detachText(text), result);
    }
    return result;
  };
}
