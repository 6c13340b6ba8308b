/** A word in single quotes, for sh, bash and zsh. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
