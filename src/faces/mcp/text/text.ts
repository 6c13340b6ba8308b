import { visible } from "../../../base/text/quotation.ts";
import { wholeCharacters } from "../../../base/text/text-size.ts";

/** Formats the memory for a model. */

/** A text in one line, cut at so many characters. */
export function oneLine(text: string, longest: number): string {
  const flat = visible(text).replace(/\s+/g, " ").trim();
  return flat.length <= longest
    ? flat
    : `${wholeCharacters(flat.slice(0, Math.max(longest - 1, 1))).trimEnd()}…`;
}

/** An ISO time to the minute, in UTC; "" for none. */
export function minute(iso: string | null): string {
  return iso === null ? "" : `${iso.slice(0, 16).replace("T", " ")}Z`;
}

/** The parts that exist, with a separator between them. */
export function joined(parts: readonly (string | null | undefined | false)[], separator = " | "): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(separator);
}
