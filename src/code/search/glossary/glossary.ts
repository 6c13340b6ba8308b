import { computeRarity } from "../../../base/text/rarity.ts";
import { listIdentifiers, splitIdentifier, stem, stopWords } from "../../../base/text/tokens.ts";
import { computeCosine } from "../../../models/embed/quantise.ts";
import data from "./glossary.json" with { type: "json" };

/** A word that programs use, and what it means in everyday words. */
interface GlossaryEntry {
  /** Stems of the words for it. */
  terms: readonly string[];
  means: string;
  /** Stems of these and of what they mean. */
  stems: ReadonlySet<string>;
}

const listStems = (text: string): string[] =>
  listIdentifiers(text)
    .filter((word) => !stopWords.has(word.toLowerCase()))
    .flatMap((word) => splitIdentifier(word).map(stem));

const entries: readonly GlossaryEntry[] = data.map(({ terms, means }) => ({
  // A name such as "2fa" is a term as a whole.
  terms: terms.split(" ").map(stem),
  means,
  stems: new Set(listStems(`${terms} ${means}`)),
}));

const holding = new Map<string, number>();
for (const { stems } of entries) for (const one of stems) holding.set(one, (holding.get(one) ?? 0) + 1);

/** One word alone says too little to tell what it means. */
const minStems = 2;
/** Entries that a question may mean. */
const maxEntries = 3;
/**
 * The share of a question that an entry has and their nearness, together: where it is more than chance, and where it is certain. Chosen
 * on `bench/everyday/developed-on.json`.
 */
const minLikeness = 0.75;
const fullLikeness = 1.3;

/** An entry that a question may describe. */
interface DescribedEntry extends GlossaryEntry {
  /** The share of the question that it has, rare words more: above 0 to 1. */
  shared: number;
}

/** The entries that have a word of a question, but no term that it has itself. @param stems of the question */
export function findDescribed(stems: readonly string[]): DescribedEntry[] {
  if (stems.length < minStems) return [];
  const rarities = stems.map((one) => computeRarity(entries.length, holding.get(one) ?? 0));
  const whole = rarities.reduce((sum, one) => sum + one, 0);
  return entries.flatMap((entry) => {
    const shared = rarities.reduce((sum, one, k) => sum + (entry.stems.has(stems[k]!) ? one : 0), 0) / whole;
    return shared > 0 && !entry.terms.some((term) => stems.includes(term)) ? [{ ...entry, shared }] : [];
  });
}

/**
 * What programs call what a question describes: a dictionary read backwards. An entry fits by the share of the question that it has,
 * and by how near its meaning is to the question.
 * @param described as `findDescribed` has it
 * @param vector of the question; null without a model
 * @param vectors of the meanings; none without a model
 * @returns stems, each with how surely it is meant: 0 to 1
 */
export function findTerms(
  described: readonly DescribedEntry[],
  vector: Int8Array | null,
  vectors: readonly (Int8Array | null)[],
): ReadonlyMap<string, number> {
  const fitting = described
    .map(({ terms, shared }, i) => {
      const meaning = vectors[i];
      return { terms, likeness: shared + (vector && meaning ? computeCosine(vector, meaning) : shared) };
    })
    .filter(({ likeness }) => likeness > minLikeness)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, maxEntries);
  const found = new Map<string, number>();
  for (const { terms, likeness } of fitting) {
    const sure = Math.min((likeness - minLikeness) / (fullLikeness - minLikeness), 1);
    for (const term of terms) found.set(term, Math.max(found.get(term) ?? 0, sure));
  }
  return found;
}
