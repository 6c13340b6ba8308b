import { computeRarity } from "../../../base/text/rarity.ts";
import { listIdentifiers, makeTokenStream, stopWords } from "../../../base/text/tokens.ts";
import type { SearchableIndex } from "../../../store/index/port.ts";

/** Different words of a text that are looked up. */
const maxLookedUp = 2000;

/**
 * The words of a long text that say most about where it leads in this project: rare here, and often there. In the order of the text;
 * words that the index does not hold are left out.
 */
export async function selectTellingWords(
  index: SearchableIndex,
  text: string,
  most: number,
): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const word of listIdentifiers(text)) {
    if (word.length < 2 || stopWords.has(word.toLowerCase())) continue;
    if (counts.size < maxLookedUp || counts.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const tokensByWord = new Map([...counts.keys()].map((word) => [word, makeTokenStream(word).split(" ")]));
  const { chunks, holding } = await index.countFrequencies([...new Set([...tokensByWord.values()].flat())]);
  // A name counts by the rarest of what it consists of.
  const measureRarity = (word: string) =>
    Math.max(
      0,
      ...tokensByWord.get(word)!.flatMap((token) => {
        const held = holding.get(token);
        return held === undefined ? [] : computeRarity(chunks, Math.min(held, chunks));
      }),
    );
  const weighed = [...counts].map(([word, count]) => ({
    word,
    weight: measureRarity(word) * (1 + Math.log(count)),
  }));
  const chosen = new Set(
    weighed
      .filter(({ weight }) => weight > 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, most)
      .map(({ word }) => word),
  );
  return [...counts.keys()].filter((word) => chosen.has(word));
}
