/** "1 turn", "1,234 turns". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** "12 MB". */
export function bytes(count: number): string {
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
} as const;
