export { formatCount } from "../../base/text/counted.ts";

/** "42 %". */
export const formatRoundedPercent = (part: number, whole: number): string =>
  `${Math.round((100 * part) / Math.max(1, whole))} %`;

/** What a session is called: one that has no title, by the beginning of its id. */
export const nameSession = (id: string, title: string | null): string => title ?? `Session ${id.slice(0, 8)}`;

/** "12 MB". */
export function formatByteCount(count: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), 3);
  const format = { style: "unit", unit: units[power]!, maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat("en", format).format(count / 1000 ** power);
}

/** When an agent was given automatic context. */
export const momentOf = {
  "session-start": "at the start",
  "user-prompt": "with a prompt",
  "post-tool-use": "after an edit",
  "tool-failure": "after a failed command",
  "pre-tool-use": "before a search",
  "pre-compact": "before a compaction",
} as const;
