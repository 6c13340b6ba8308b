import { parseJsonLine } from "../reading/json-lines.ts";
import { asLine, type Line } from "./line-schema.ts";

/** A line of a transcript; null for one that is no JSON object. */
export function parseLine(bytes: Buffer): Line | null {
  const value = parseJsonLine(bytes);
  return value === null ? null : asLine(value);
}
