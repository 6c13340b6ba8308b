import { tokensOf } from "../../text/tokens.ts";

/** How much like another an error is, without what differs from run to run. */

interface Known {
  signature: string;
  sessions: number;
}

export interface Likeness {
  verdict: "found" | "maybe" | "none";
  /** Known signatures, with how much each is like one of those that were asked for: 0 to 1. */
  signatures: Map<string, number>;
}

/** A line that so many sessions met says little of what was wrong. */
const common = { share: 0.1, sessions: 12 } as const;
/** The likeness of lines that are not the same. */
const minLike = { found: 0.85, maybe: 0.7 } as const;
/** Words that any error may have. */
const anyError = new Set(
  "error fail failed failur not found cannot could is no such the a an to of in at for with but and it unexpect expect got want undefin invalid exit code statu test type".split(
    " ",
  ),
);

/** How much a signature says, by how many sessions met it: 0 for one that accompanies everything. */
export function weightsOf(known: readonly Known[]): Map<string, number> {
  const most = Math.max(1, ...known.map(({ sessions }) => sessions));
  return new Map(
    known.map(({ signature, sessions }) => {
      const isCommon = sessions >= common.sessions && sessions > common.share * most * 2;
      return [signature, isCommon ? 0 : specificityOf(signature) / (1 + Math.log2(sessions))] as const;
    }),
  );
}

/** By the words that not any error has; 0 where there is none. */
function specificityOf(signature: string): number {
  const words = new Set(wordsOf(signature).filter((word) => !anyError.has(word)));
  return words.size === 0 ? 0 : Math.min(1, 0.4 + 0.2 * words.size);
}

const wordsOf = (signature: string) =>
  tokensOf(signature.replace(/<\w+>|#/g, " ")).filter((word) => word.length > 1);

export function closestSignatures(asked: readonly string[], known: readonly Known[]): Likeness {
  const weights = weightsOf(known);
  const same = asked.filter((each) => (weights.get(each) ?? 0) > 0);
  if (same.length > 0) return { verdict: "found", signatures: new Map(same.map((each) => [each, 1])) };
  const like = new Map<string, number>();
  let isFound = false;
  const rarity = rarityIn(known);
  for (const each of asked) {
    if (specificityOf(each) === 0) continue;
    for (const { signature } of known) {
      if ((weights.get(signature) ?? 0) === 0) continue;
      const likeness = likenessOf(each, signature, rarity);
      if (likeness >= minLike.maybe) like.set(signature, Math.max(likeness, like.get(signature) ?? 0));
      if (likeness >= minLike.found && namedIn(each) === namedIn(signature)) isFound = true;
    }
  }
  if (like.size === 0) return { verdict: "none", signatures: like };
  return { verdict: isFound ? "found" : "maybe", signatures: like };
}

/** What a line is about: what it quotes, and flags. Another unknown flag is another error. */
const namedIn = (signature: string) =>
  (signature.match(/(["'`]).+?\1|(?<=\s)--?[\w-]+/g) ?? []).sort().join(" ");

function rarityIn(known: readonly Known[]): (word: string) => number {
  const having = new Map<string, number>();
  for (const { signature } of known)
    for (const word of new Set(wordsOf(signature))) having.set(word, (having.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + (known.length + 1) / ((having.get(word) ?? 0) + 0.5));
}

/** The share of the words of both that they have in common, by how rare they are. */
function likenessOf(a: string, b: string, rarity: (word: string) => number): number {
  const [mine, other] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
  let common = 0;
  let all = 0;
  for (const word of new Set([...mine, ...other])) {
    const weight = rarity(word);
    all += weight;
    if (mine.has(word) && other.has(word)) common += weight;
  }
  return all === 0 ? 0 : common / all;
}
