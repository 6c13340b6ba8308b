/**
 * How much of a found text is shown. A terminal has room for lines, and everything else for characters; an agent pays for
 * each of them.
 */
export const shownOfMatch = {
  /** Of a session, commit or event on one line: `snippet`, for pipes, the page and programs. */
  snippetChars: 200,
  /** Of a stored text that the very words were found in, with its lines: `content`. The text may be a whole log. */
  contentChars: 2000,
  /** Of a claim to agents, whose line also says who, when and whether it is still true. */
  claimChars: 160,
  /** On a terminal. */
  textLines: 5,
  /** On a terminal; code is read by its first line and those that match. */
  codeLines: 4,
  /** On the page, in a row: those that hold most of the query's words. */
  rowLines: 5,
} as const;
