/**
 * Finds every occurrence of many keywords in one pass over a text: the automaton of Aho and Corasick, "Efficient string
 * matching" (1975). Trying patterns only near their keywords is an idea from gitleaks.
 */
type KeywordScan = (text: string, hit: KeywordHit) => void;

/** Called with the keyword's index and start for every occurrence, ordered by end. */
type KeywordHit = (keyword: number, start: number) => void;

/** @param keywords upper and lower case count as the same */
export function compileKeywords(keywords: readonly string[]): KeywordScan {
  const words = keywords.map((keyword) => keyword.toLowerCase());
  const { classOf, classes } = characterClasses(words);
  const { next, ends } = automaton(words, classOf, classes);
  const lengths = words.map((word) => word.length);

  return (text, hit) => {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      state = next[state + classOf[code]!]!;
      if (state >= 0) continue;
      // A state in which keywords end is stored as its complement, so that the common case costs one comparison.
      state = ~state;
      for (const keyword of ends[state / classes]!) hit(keyword, i + 1 - lengths[keyword]!);
    }
  };
}

/** Numbers the characters that occur in keywords; all others are 0, which resets the automaton. */
function characterClasses(words: readonly string[]): { classOf: Uint8Array; classes: number } {
  const classOf = new Uint8Array(65_536);
  let classes = 1;
  for (const word of words) {
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i);
      if (classOf[code] !== 0) continue;
      const capital = word[i]!.toUpperCase();
      classOf[code] = classes;
      if (capital.length === 1) classOf[capital.charCodeAt(0)] = classes;
      classes++;
    }
  }
  return { classOf, classes };
}

function automaton(words: readonly string[], classOf: Uint8Array, classes: number) {
  const children: Map<number, number>[] = [new Map()];
  const ends: number[][] = [[]];
  words.forEach((word, index) => {
    let state = 0;
    for (let i = 0; i < word.length; i++) {
      const symbol = classOf[word.charCodeAt(i)]!;
      let child = children[state]!.get(symbol);
      if (child === undefined) {
        child = children.length;
        children.push(new Map());
        ends.push([]);
        children[state]!.set(symbol, child);
      }
      state = child;
    }
    ends[state]!.push(index);
  });

  const table = new Int32Array(children.length * classes);
  const fail = new Int32Array(children.length);
  const queue = [0];
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at]!;
    ends[state]!.push(...(state === 0 ? [] : ends[fail[state]!]!));
    // Where a keyword does not go on, it is as if it had begun later.
    const row = state * classes;
    if (state !== 0) table.copyWithin(row, fail[state]! * classes, (fail[state]! + 1) * classes);
    for (const [symbol, child] of children[state]!) {
      fail[child] = table[row + symbol]!;
      table[row + symbol] = child;
      queue.push(child);
    }
  }
  const stored = Int32Array.from(ends, ({ length }, state) =>
    length > 0 ? ~(state * classes) : state * classes,
  );
  for (let i = 0; i < table.length; i++) table[i] = stored[table[i]!]!;
  return { next: table, ends };
}
