/** Characters, and letters among them, of a line that tells something. */
const minTelling = { characters: 8, letters: 5 } as const;

/** How many of the lines of a change must come again for it to be the same, and what share of them. */
export const minAgain = { lines: 2, share: 0.6 } as const;

/** The lines that tell something, without indentation. Hooks load this: it imports nothing. */
export const pickTellingLines = (lines: readonly string[]): string[] =>
  lines
    .map((line) => line.trim())
    .filter(
      (line) =>
        line.length >= minTelling.characters && (line.match(/\p{L}/gu)?.length ?? 0) >= minTelling.letters,
    );
