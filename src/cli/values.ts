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

/** Comma separated, and repeatable. */
export function list(text: string, before: string[] = []): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return [...before, ...parts.filter((part) => part !== "")];
}

/** Repeatable. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
