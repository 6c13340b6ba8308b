import { rootOf, stopWords, withoutSuffixes } from "../../text/tokens.ts";

/** The words of a query, to find in lines and to mark there. */
export interface Words {
  /** How many of them, or of words of the same stem, a line holds. */
  countIn(line: string): number;
  mark(line: string, paint: (word: string) => string): string;
}

export function wordsOf(query: string): Words {
  const all = withoutSuffixes(query.slice(0, 1000)).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const telling = all.filter((word) => !stopWords.has(word.toLowerCase()));
  // Longer ones first, so that "retry" does not cut "retryable" short.
  const roots = [...new Set((telling.length > 0 ? telling : all).map(rootOf))]
    .sort((a, b) => b.length - a.length)
    .slice(0, 32);
  return {
    countIn(line) {
      const text = line.toLowerCase();
      return roots.filter((root) => {
        for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + 1)) {
          if (beginsWord(line, at)) return true;
        }
        return false;
      }).length;
    },
    mark(line, paint) {
      if (roots.length === 0) return line;
      return line.replace(patternOf(roots), (word, at: number) =>
        beginsWord(line, at) ? paint(word) : word,
      );
    },
  };
}

/** "port" is a word of `daemonPort`, not of "export". */
function beginsWord(line: string, at: number): boolean {
  const [before = "", first = "", next = ""] = [line[at - 1], line[at], line[at + 1]];
  if (!/[A-Za-z]/.test(before)) return true;
  return /[A-Z]/.test(first) && (/[a-z]/.test(before) || /[a-z]/.test(next));
}

/** "retries" also marks "retry" and "retried": to the end of the word. (`\p{L}` would cost a start-up 2 ms.) */
function patternOf(roots: readonly string[]): RegExp {
  const escaped = roots.map((root) => root.replaceAll("$", "\\$"));
  return new RegExp(escaped.map((root) => `${root}[a-z\u00df-\u024f\u0370-\u04ff]*`).join("|"), "gi");
}
