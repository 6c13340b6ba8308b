import { readFileSync } from "node:fs";
import { type ParseError, parse } from "jsonc-parser";

/** The object in a file that the client reads: JSON that may have comments. Empty when there is none. */
export function readObjectFile(file: string): Record<string, unknown> {
  try {
    const errors: ParseError[] = [];
    const value: unknown = parse(readFileSync(file, "utf8"), errors);
    return errors.length === 0 ? asObject(value) : {};
  } catch {
    return {};
  }
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
