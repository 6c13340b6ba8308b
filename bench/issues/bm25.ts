import { readFileSync } from "node:fs";
import { join } from "node:path";
import { splitIdentifier } from "../../src/base/text/tokens.ts";
import { classifyPath } from "../../src/code/files/path-role.ts";
import { detectLanguage, findGrammar } from "../../src/code/languages/index.ts";
import { runGit } from "./tasks.ts";

const listWords = (text: string) =>
  (text.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []).flatMap((word) => {
    const parts = splitIdentifier(word);
    return parts.length > 1 ? [word.toLowerCase(), ...parts] : [word.toLowerCase()];
  });

interface Document {
  path: string;
  counts: Map<string, number>;
  length: number;
}
const documents = new Map<string, Document[]>();

const ignoredRoles: ReadonlySet<string> = new Set(["docs", "test"]);

/** Program files without tests, and without those of the documentation, as whole documents; those of the last root are kept. */
function readDocuments(root: string): Document[] {
  const known = documents.get(root);
  if (known !== undefined) return known;
  documents.clear();
  const read = runGit(root, "ls-files", "-z")
    .split("\0")
    .filter((path) => findGrammar(detectLanguage(path)) !== null && !ignoredRoles.has(classifyPath(path)))
    .flatMap((path): Document[] => {
      try {
        const words = listWords(`${path} ${readFileSync(join(root, path), "utf8")}`);
        const counts = new Map<string, number>();
        for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
        return [{ path, counts, length: words.length }];
      } catch {
        return [];
      }
    });
  documents.set(root, read);
  return read;
}

/** Files in the order of BM25 (k1 1.2, b 0.75), best first: what a plain engine answers. */
export function rankByWholeFiles(root: string, query: string): string[] {
  const all = readDocuments(root);
  const mean = all.reduce((sum, { length }) => sum + length, 0) / all.length;
  const words = [...new Set(listWords(query))];
  const idf = words.map((word) => {
    const holding = all.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (all.length - holding + 0.5) / (holding + 0.5));
  });
  const score = ({ counts, length }: Document) =>
    words.reduce((sum, word, i) => {
      const count = counts.get(word) ?? 0;
      return sum + (idf[i]! * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean));
    }, 0);
  return all
    .map((document) => ({ path: document.path, score: score(document) }))
    .sort((a, b) => b.score - a.score)
    .map(({ path }) => path);
}
