import { InvalidArgumentError } from "commander";
import { maxResults } from "../project/max-results.ts";

/** How the values of options are read. */

/** Reads a whole number within bounds. */
export function numberWithin(from: number, to = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isSafeInteger(value) && value >= from && value <= to) return value;
    const range =
      to < Number.MAX_SAFE_INTEGER ? ` from ${from} to ${to}` : from > 0 ? `, ${from} or more` : "";
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

export const positiveInteger = numberWithin(1);
export const wholeNumber = numberWithin(0);
/** How many results are asked for. */
export const resultLimit = numberWithin(1, maxResults);

export interface NumberRange {
  first: number;
  /** Infinity: to the end. */
  last: number;
}

/** Reads "3", "3-9", "3-". */
export function numberRange(text: string): NumberRange {
  const [, a, dash, b] = /^(\d+)(?:(-)(\d*))?$/.exec(text.trim()) ?? [];
  const first = Number(a);
  const last = dash === undefined ? first : b === "" ? Number.POSITIVE_INFINITY : Number(b);
  if (a === undefined || last < first) throw new InvalidArgumentError("It must be like 3, 3-9 or 3-.");
  return { first, last };
}

/** Comma separated, and repeatable. */
export function list(text: string, before: string[] = []): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return [...before, ...parts.filter((part) => part !== "")];
}

/** Repeatable. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
