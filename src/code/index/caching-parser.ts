import { createHash } from "node:crypto";
import type { Config } from "../../base/config/settings.ts";
import type { Project } from "../../base/paths.ts";
import { modelId } from "../../models/embed/static/static-embedder.ts";
import type { IndexCache } from "../../store/index/index-cache.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { FileStamp, IndexedFile } from "../../store/index/records.ts";
import { buildPoolOptions, type ParseOutcome, ParsePool } from "../parse/parse-pool.ts";
import { ParsedFiles } from "./parsed-files.ts";

/** Bump when chunks, their tokens or what is read for edges change, so that every index is rebuilt. */
const chunkerVersion = 17;

/** Fingerprint of all that files are parsed by; when it changes, every file is indexed again. */
export function computeParsingRecipe(config: Config): string {
  const parts = [
    chunkerVersion,
    config["index.levels"],
    config["index.languages"],
    config["index.max_file_size"],
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

export interface ParserOptions {
  project: Project;
  config: Config;
  /** Its files stand for all before the first scan has finished. */
  index: Pick<CodeIndex, "files">;
  /** Whether to embed the chunks with the bundled model. */
  withVectors: boolean;
  /** The model's directory; set by tests only. */
  modelDir?: string | undefined;
}

/** Has workers parse and chunk a project's files, except those of which is known what they became before. */
export class CachingParser {
  private pool: ParsePool | null = null;
  /** Set with the pool, as what it makes of a file depends on its settings. */
  private known: ParsedFiles | null = null;
  /** Files that are being parsed for `read`. */
  private reading = 0;

  constructor(
    private readonly options: ParserOptions,
    private readonly cache: IndexCache,
  ) {}

  /** @param files all of the project's, once they are known: they decide what `.h` means */
  setUp(files: readonly { path: string }[]): void {
    if (this.pool !== null) return;
    const { config, project, withVectors, modelDir } = this.options;
    const options = buildPoolOptions(project.root, config, files);
    const model = withVectors ? `${modelId} ${modelDir ?? ""}` : "";
    const { headerLanguage } = options;
    this.known = new ParsedFiles(this.cache, { recipe: computeParsingRecipe(config), headerLanguage, model });
    this.pool = new ParsePool({ ...options, withVectors, modelDir });
  }

  async ready(): Promise<ParsePool> {
    if (this.pool === null) this.setUp(await this.options.index.files());
    return this.pool!;
  }

  /**
   * @param before the file as it is indexed
   * @param isForced it is made anew, even where nothing has changed
   */
  parse(
    stamp: FileStamp,
    before: { hash: string | null } | undefined,
    isForced: boolean,
  ): Promise<ParseOutcome> {
    const cachedHashes = (!(isForced && before) && this.known?.listKnownHashes(stamp)) || [];
    return this.parseOrReuse(stamp, (isForced ? null : before?.hash) ?? null, cachedHashes);
  }

  private async parseOrReuse(
    stamp: FileStamp,
    knownHash: string | null,
    cachedHashes: readonly string[],
  ): Promise<ParseOutcome> {
    // What is parsed at one moment shares messages to the workers.
    const pool = this.pool ?? (await this.ready());
    const outcome = await pool.parse(stamp, knownHash, { cachedHashes });
    if (outcome.status !== "cached") return outcome;
    return this.known?.get(outcome) ?? this.parseOrReuse(stamp, knownHash, []);
  }

  /** Says how many files wait. */
  expect(files: number): void {
    this.pool?.expect(files);
  }

  /** How many files can be parsed at a time. */
  get room(): number {
    return this.pool?.room ?? 0;
  }

  /** Has a thread ready for the first file. To be called after `setUp`. */
  begin(): void {
    this.pool?.begin();
  }

  /** Keeps what files became, for all checkouts. */
  async remember(outcomes: readonly ParseOutcome[]): Promise<void> {
    await this.known?.add(outcomes);
  }

  /** The chunks of a file with their texts; null where it cannot be parsed. */
  async read(stamp: FileStamp): Promise<IndexedFile | null> {
    const pool = await this.ready();
    this.reading++;
    const outcome = await pool.parse(stamp, null, { withText: true }).catch(() => null);
    this.reading--;
    return outcome?.status === "indexed" ? outcome : null;
  }

  /** Ends the workers until they are needed again, unless they read. */
  async release(): Promise<void> {
    if (this.reading === 0) await this.close();
  }

  /** What is being parsed fails. */
  async close(): Promise<void> {
    await this.pool?.close();
  }
}
