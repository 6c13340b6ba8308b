import { InvalidArgumentError } from "commander";
import { maxResults } from "../project/max-results.ts";

/** How the values of options are read. */

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("It must be 1 or more.");
  return value;
}

/** How many results are asked for. */
export function resultLimit(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > maxResults) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxResults}.`);
  }
  return value;
}

/** From 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError("It must be a whole number.");
  }
  return value;
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

// Options that many commands have.
export const since = ["--since <time>", 'only since: "2026-01-31", "last week", "3 days ago"'] as const;
export const until = ["--until <time>", "only until"] as const;
export const limit = ["-n, --limit <count>", "at most this many results", resultLimit] as const;
