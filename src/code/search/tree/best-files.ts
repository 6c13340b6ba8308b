import { computeRarity, lengthShare, saturation } from "../../../base/text/rarity.ts";
import { findWordRoot, isAscii, isSpaced, splitIdentifier, stem } from "../../../base/text/tokens.ts";
import { classifyPath, isAskedFor } from "../../files/path-role.ts";
import type { AnalysedQuery } from "../query.ts";
import type { SoughtPart } from "../verbatim/part-counts.ts";
import { weights } from "../weights.ts";
import type { ScannedTree, TreeFile } from "./scan-tree.ts";

/** A word in a path says as much as so many in the text, as in the full-text index. */
const pathWeight = weights.columns.path;
/** A chunk has about so many bytes: what is known of files says so in how many chunks a word may be. */
const bytesOfChunk = 1000;

/** Shorter words are meant as they are: with `db` or `id` many others begin. Characters. */
const minBeginning = 3;

/**
 * How each of a question's tokens looks in a text: the common beginning of all words of its stem ("retr" of "retries" and "retry"),
 * or the word itself where that would be too short ("key", whose stem is no beginning of it).
 */
export function buildSoughtParts({ tokens, words }: Pick<AnalysedQuery, "tokens" | "words">): SoughtPart[] {
  const wordOf = new Map(words.flatMap(splitIdentifier).map((part) => [stem(part), part]));
  return tokens.map((token) => {
    if (!isAscii(token) || !isSpaced(token)) return { text: token, isWhole: false };
    const word = wordOf.get(token) ?? token;
    const root = findWordRoot(word);
    const isStemEnough = root === word && token.length >= minBeginning && word.startsWith(token);
    const text = isStemEnough ? token : root;
    return { text, isWhole: text.length < minBeginning };
  });
}

/** In about how many chunks of the tree each token is, of how many. @param tokens in the order in which they were looked for */
export function estimateFrequencies({ files }: ScannedTree, tokens: readonly string[]) {
  const holding = tokens.map(() => 0);
  let chunks = 0;
  for (const { size, counts } of files) {
    const own = Math.ceil(size / bytesOfChunk);
    chunks += own;
    if (counts === null) continue;
    for (let i = 0; i < holding.length; i++) {
      // A path is a word of each of its file's chunks.
      holding[i]! += counts.path[i]! > 0 ? own : Math.min(counts.text[i]!, own);
    }
  }
  return {
    chunks,
    holding: new Map(tokens.flatMap((token, i) => (holding[i]! > 0 ? [[token, holding[i]!]] : []))),
  };
}

/**
 * The files that most likely answer a question, by its words in their text and path, best first: BM25, and less for what no
 * question asks for unless it says so.
 */
export function rankBestFiles(
  tree: ScannedTree,
  { tokens, stems }: AnalysedQuery,
  isWanted: (file: TreeFile) => boolean,
): TreeFile[] {
  const holding = tokens.map(
    (_, i) => tree.files.filter(({ counts }) => counts && counts.text[i]! + counts.path[i]! > 0).length,
  );
  const rarities = holding.map((count) => computeRarity(tree.files.length, count));
  const average = tree.files.reduce((sum, { size }) => sum + size, 0) / tree.files.length;
  const asked = new Set(stems);
  const scored = tree.files.flatMap((file) => {
    const { counts, path, size } = file;
    if (counts === null || !isWanted(file)) return [];
    const norm = saturation * (1 - lengthShare + (lengthShare * size) / average);
    let score = 0;
    for (let i = 0; i < rarities.length; i++) {
      const times = counts.text[i]! + pathWeight * counts.path[i]!;
      score += (rarities[i]! * times) / (times + norm);
    }
    const role = classifyPath(path);
    return [{ file, score: score * (isAskedFor(role, asked) ? 1 : weights.roles[role]) }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ file }) => file);
}
