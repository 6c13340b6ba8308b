import { beginningOf } from "../../../text/text-size.ts";
import { shortenUrls } from "../prose.ts";
import { contentWords } from "../words.ts";

export interface Statement {
  text: string;
  words: ReadonlySet<string>;
  turn: number;
  /** Order in the session. */
  order: number;
  /** By its cues. */
  weight: number;
}

/** Characters. */
const maxStatementLength = 260;

export function statementOf(sentence: string, turn: number, order: number, weight: number): Statement {
  const shown = beginningOf(shortenUrls(sentence), maxStatementLength);
  const text = shown.charAt(0).toUpperCase() + shown.slice(1);
  return { text, words: contentWords(text), turn, order, weight };
}

/** Mostly letters: not a path, data, or a line of a log; nor an announcement such as "as follows:". */
export function isSentence(text: string): boolean {
  if (text.endsWith(":") || text.length < 20) return false;
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0;
  return letters / text.length > 0.7 && /\s\S+\s/.test(text);
}

/** A collection of statements, of which the weaker half is dropped when there are more than twice `most`. */
export function atMost<T extends Statement>(most: number): { add(statement: T): void; all(): T[] } {
  let kept: T[] = [];
  const prune = () => {
    kept = kept.toSorted((a, b) => b.weight - a.weight || a.order - b.order).slice(0, most);
  };
  return {
    add(statement) {
      kept.push(statement);
      if (kept.length > 2 * most) prune();
    },
    all() {
      return kept.toSorted((a, b) => a.order - b.order);
    },
  };
}
