/** Whether a note stands on one of some lines. */
export const isOnLines = (
  { first_line, last_line, state }: { first_line: number; last_line: number; state: string },
  first: number,
  last: number,
): boolean => state !== "gone" && first_line <= last && last_line >= first;
