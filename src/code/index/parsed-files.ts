import { setImmediate as nextTurn } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { type CacheKey, hashPlace, type IndexCache } from "../../store/index/index-cache.ts";
import type { FileStamp } from "../../store/index/records.ts";
import type { CachedFile, ParsedFile, ParseOutcome } from "../parse/parse-messages.ts";

/** Bump when what is cached of a file has another form. */
const formVersion = 1;

/** Files after which others have a turn: each takes a third of a millisecond. */
const together = 16;

interface HowParsed {
  /** What chunks, words and vectors depend on, besides the file. */
  recipe: string;
  headerLanguage: string;
  /** The model of the vectors; "": none are made. */
  model: string;
}

/** What files became when they were parsed before, in whatever checkout: they are not parsed and embedded again. */
export class ParsedFiles {
  /** What came from the cache. */
  private readonly taken = new WeakSet<ParsedFile>();

  constructor(
    private readonly cache: IndexCache,
    private readonly how: HowParsed,
  ) {}

  /** Hashes of a file's versions of this size that are known. */
  listKnownHashes(stamp: FileStamp): string[] {
    return this.cache.listNamesAt(this.makeParsedCachePlace(stamp));
  }

  /** null: it is not known any more. */
  get(file: CachedFile): ParsedFile | null {
    const { status: _, ...stamp } = file;
    const data = this.cache.get(this.makeParsedCachePlace(file), [file.hash]).get(file.hash);
    const known = data && decodeParsedFile(data);
    if (known?.path !== file.path || known.hash !== file.hash) return null;
    const parsed: ParsedFile = { ...known, ...stamp };
    this.taken.add(parsed);
    return parsed;
  }

  /** Keeps what was indexed. */
  async add(outcomes: readonly ParseOutcome[]): Promise<void> {
    const made = outcomes.filter((outcome) => outcome.status === "indexed" && this.isWorthKeeping(outcome));
    for (let start = 0; start < made.length; start += together) {
      if (start > 0) await nextTurn();
      const files = made.slice(start, start + together) as ParsedFile[];
      this.cache.add(files.map((file) => ({ ...this.makeParsedCacheKey(file), data: serialize(file) })));
    }
  }

  private isWorthKeeping(file: ParsedFile): boolean {
    if (this.taken.has(file)) return false;
    // Another time the model may work, and a parse that took too long may end in time.
    if (this.how.model !== "" && file.vectors === undefined) return false;
    return !(file.hasSyntaxErrors && !file.graph);
  }

  private makeParsedCacheKey(file: ParsedFile): CacheKey {
    return { place: this.makeParsedCachePlace(file), name: file.hash };
  }

  /** With the size, so that only a file that may be known is compared by its content. */
  private makeParsedCachePlace({ path, size }: FileStamp): string {
    const { recipe, headerLanguage, model } = this.how;
    const header = path.endsWith(".h") ? headerLanguage : "";
    return hashPlace(formVersion, recipe, header, model, path, size);
  }
}

function decodeParsedFile(data: Uint8Array): ParsedFile | null {
  try {
    return deserialize(data) as ParsedFile;
  } catch {
    // Damaged, or written by a newer Node.
    return null;
  }
}
