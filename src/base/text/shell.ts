/** A word in single quotes, for sh, bash and zsh. */
export function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
