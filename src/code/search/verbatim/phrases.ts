import { addTo } from "../../../base/multimap.ts";
import { computeRarity } from "../../../base/text/rarity.ts";
import { makeTokenStream, stopWords } from "../../../base/text/tokens.ts";
import type { ChunkId, SearchableIndex } from "../../../store/index/port.ts";
import type { AnalysedQuery } from "../query.ts";

/** Neighbouring words of a query, as few as say something: "multiple times", "is not a function". */
interface Phrase {
  /** Places of the first and the last word in the query. */
  from: number;
  to: number;
  /** The consecutive tokens of the full-text index to find. */
  tokens: string;
}

/** A phrase of more words is left out: it has none but stop words. */
const maxWords = 6;
/** Longer queries are cut after this many phrases. */
const maxPhrases = 24;
/** A phrase in more chunks than this is common and means nothing. */
const maxHolders = 64;
/** Two neighbouring words are a subject ("request headers"), three are a quotation. */
const minRun = 3;
/** A run of this many words counts in full. */
const fullRun = 5;
/** The weight of a phrase that no chunk contains: in a message, the part around a value from the program. */
const unfoundShare = 0.5;

const question = /^(?:how|what|when|where|which|who|why|can|do|does|is(?! not))\b|\?\s*$/i;

/** The words of a query that may quote the code: names are looked up as names, and questions use words of their own. */
export function listQuotableWords({ intent, raw, sequence }: AnalysedQuery): readonly string[] {
  return intent === "symbol" || intent === "path" || question.test(raw.trim()) ? [] : sequence;
}

/**
 * How much of these words each chunk holds word by word, 0 to 1: phrases in a row, weighed by how rare they are (inverse
 * document frequency) and by their length. A message with values in it ("users.map is not a function") still has the
 * phrases between them.
 */
export async function collectPhrases(
  index: SearchableIndex,
  words: readonly string[],
): Promise<ReadonlyMap<ChunkId, number>> {
  const phrases = buildPhrases(words);
  if (phrases.length === 0) return new Map();
  const [holders, { chunks }] = await Promise.all([
    index.findPhrases(
      phrases.map(({ tokens }) => tokens),
      maxHolders + 1,
    ),
    index.countFrequencies([]),
  ]);
  const held = new Map<ChunkId, number[]>();
  let all = 0;
  const weights = phrases.map(({ from, to }, i) => {
    const ids = holders[i]!;
    if (ids.length > maxHolders) return 0;
    const n = Math.max(ids.length, 1);
    const weight = computeRarity(chunks, n) * (to - from);
    all += ids.length === 0 ? weight * unfoundShare : weight;
    for (const id of ids) {
      addTo(held, id, i);
    }
    return weight;
  });
  const shares = [...held].map(([id, places]): [ChunkId, number] => {
    const sum = weighRuns(places.map((i) => ({ ...phrases[i]!, weight: weights[i]! })));
    return [id, sum / all];
  });
  return new Map(shares.filter(([, share]) => share > 0));
}

/** The weight of phrases that follow each other without a gap; of a short run only a part. */
function weighRuns(phrases: readonly { from: number; to: number; weight: number }[]): number {
  let sum = 0;
  let run = { from: 0, to: -1, weight: 0 };
  const finish = () => {
    const words = run.to - run.from + 1;
    if (words >= minRun) sum += run.weight * Math.min(1, (words - 1) / (fullRun - 1));
  };
  for (const { from, to, weight } of phrases) {
    if (from > run.to) {
      finish();
      run = { from, to, weight: 0 };
    }
    run.to = Math.max(run.to, to);
    run.weight += weight;
  }
  finish();
  return sum;
}

/** Of words in a row, from each one on the shortest phrase that holds more than stop words. */
export function buildPhrases(words: readonly string[]): Phrase[] {
  const streams = words.map((word) => makeTokenStream(word).split(" "));
  const isTelling = words.map((word) => !stopWords.has(word.toLowerCase()));
  const phrases: Phrase[] = [];
  for (let from = 0; from + 1 < words.length && phrases.length < maxPhrases; from++) {
    const telling = isTelling[from] ? from + 1 : isTelling.indexOf(true, from + 1);
    if (telling < 0 || telling - from >= maxWords) continue;
    // Tokens of a word are itself and its stems, so the ends need only those that touch.
    const tokens = [...streams.slice(from + 1, telling).flat(), streams[telling]![0]];
    phrases.push({ from, to: telling, tokens: [streams[from]!.at(-1), ...tokens].join(" ") });
  }
  return phrases;
}
