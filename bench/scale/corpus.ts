import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";

/** Of 18 public repositories and Kafka: a chunk for so many bytes of code. Only decides how much is copied. */
const bytesPerChunk = 700;

const codeEndings = new Set(
  ".c .cc .cpp .cs .css .ex .exs .go .h .hpp .java .js .jsx .kt .kts .lua .mjs .md .php .py .rb .rs .scala .sh .sql .ts .tsx .yaml .yml".split(
    " ",
  ),
);

/**
 * Fills a directory with code until it has about so many chunks: the sources in their order, and where they do not suffice,
 * again with a third of their identifiers renamed, so that the vocabulary grows as that of real code does.
 * @returns how many times the sources were used, 1 for once
 */
export function buildCorpus(root: string, sources: readonly string[], chunks: number): number {
  rmSync(root, { recursive: true, force: true });
  let left = chunks * bytesPerChunk;
  let round = 0;
  for (; left > 0; round++) {
    const before = left;
    for (const source of sources) {
      for (const file of codeFiles(source)) {
        if (left <= 0) break;
        const text = readFileSync(file, "utf8");
        const to = join(root, `${basename(source)}${round || ""}`, relative(source, file));
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, round === 0 ? text : renamed(text, round));
        left -= text.length;
      }
    }
    if (left === before) throw new Error("the sources hold no code");
  }
  return round;
}

function* codeFiles(directory: string): Generator<string> {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith(".")) yield* codeFiles(path);
    else if (entry.isFile() && codeEndings.has(extname(entry.name)) && statSync(path).size < 500_000)
      yield path;
  }
}

/** The same identifier gets the same new name everywhere, so that names still are what ties files together. */
function renamed(text: string, round: number): string {
  return text.replace(/[A-Za-z_][A-Za-z0-9_]{7,}/g, (name) => {
    const digest = createHash("md5").update(`${round} ${name}`).digest();
    return digest[0]! < 85 ? `${name}${digest.toString("hex", 1, 3)}` : name;
  });
}
