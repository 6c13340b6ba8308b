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
  const { classOf, classes } = numberCharacters(words);
  const { next, ends, expand } = buildAutomaton(words, classOf, classes);
  const lengths = words.map((word) => word.length);

  return (text, hit) => {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const cell = state + classOf[text.charCodeAt(i)]!;
      state = next[cell]!;
      if (state >= 0) continue;
      state = ~state;
      const found = ends[state / classes] ?? expand(state / classes);
      if (found.length === 0) next[cell] = state;
      for (const keyword of found) hit(keyword, i + 1 - lengths[keyword]!);
    }
  };
}

/** Numbers the characters that occur in keywords; all others are 0, which resets the automaton. */
function numberCharacters(words: readonly string[]): { classOf: Uint16Array; classes: number } {
  const classOf = new Uint16Array(65_536);
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

/**
 * The automaton, of which a text makes the states that it reaches: thousands of keywords are known long before a short
 * text needs a few of their beginnings. A state is the row of `next` that begins at `state * classes`. A cell holds the
 * complement of that place where a keyword ends, or where nobody has been yet, so that the common case costs one
 * comparison.
 */
function buildAutomaton(words: readonly string[], classOf: Uint16Array, classes: number) {
  const { firstChild, sibling, parent, symbol, own } = buildTrie(words, classOf);
  const next = new Int32Array(own.length * classes);
  const fail = new Int32Array(own.length);
  /** The keywords that end in a state; undefined before somebody reaches it. */
  const ends: (number[] | undefined)[] = Array.from({ length: own.length });
  const findNextState = (cell: number) => (next[cell]! < 0 ? ~next[cell]! : next[cell]!) / classes;

  const expand = (state: number): number[] => {
    const known = ends[state];
    if (known !== undefined) return known;
    let found = own[state] ?? noKeywords;
    if (state !== 0) {
      // Where a keyword does not go on, it is as if it had begun later.
      const before = parent[state]!;
      expand(before);
      const suffix = before === 0 ? 0 : findNextState(fail[before]! * classes + symbol[state]!);
      fail[state] = suffix;
      const shorter = expand(suffix);
      if (shorter.length > 0) found = [...found, ...shorter];
      next.copyWithin(state * classes, suffix * classes, (suffix + 1) * classes);
    }
    for (let child = firstChild[state]!; child !== 0; child = sibling[child]!) {
      next[state * classes + symbol[child]!] = ~(child * classes);
    }
    ends[state] = found;
    return found;
  };
  expand(0);
  return { next, ends, expand };
}

const noKeywords: number[] = [];

/** All beginnings of the words, numbered from the empty one, which is 0. Where there is no child or sibling, it is 0. */
function buildTrie(words: readonly string[], classOf: Uint16Array) {
  const most = words.reduce((sum, { length }) => sum + length, 1);
  const [firstChild, sibling, parent] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)];
  /** The class of the last character. */
  const symbol = new Uint16Array(most);
  /** The words that end there. */
  const own: (number[] | undefined)[] = [undefined];
  words.forEach((word, index) => {
    let state = 0;
    for (let i = 0; i < word.length; i++) {
      const wanted = classOf[word.charCodeAt(i)]!;
      let child = firstChild[state]!;
      while (child !== 0 && symbol[child] !== wanted) child = sibling[child]!;
      if (child === 0) {
        child = own.push(undefined) - 1;
        symbol[child] = wanted;
        parent[child] = state;
        sibling[child] = firstChild[state]!;
        firstChild[state] = child;
      }
      state = child;
    }
    own[state] = [...(own[state] ?? noKeywords), index];
  });
  return { firstChild, sibling, parent, symbol, own };
}
