import type {
  ChunkId,
  ChunkOutline,
  CodeIndex,
  Definition,
  FieldWeights,
  FileId,
  Frequencies,
  IndexCounts,
  IndexEntry,
  KnownFile,
  Match,
  QueryVector,
  Scope,
  StoredChunk,
  VectorCounts,
} from "../port.ts";
import type { FileChange, FileVectors, IndexedFile, SkippedFile, SkipReason } from "../records.ts";
import { chunkId, countsOf, type FileTotals } from "../stored-rows.ts";
import { scopeFilter } from "../words/loaded-segments.ts";
import { PostgresCommits } from "./commits.ts";
import { chunksIn, insertFiles, outlinesOf, restamp, storedChunks } from "./file-rows.ts";
import type { Change, ProjectRows } from "./rows.ts";
import { PostgresVectors } from "./vectors.ts";
import { PostgresWords } from "./words.ts";

/** Segments of saves are merged when there is time; those of a pass at once. */
const fewChunks = 64;

/** Outlines that are remembered, as searches meet the same chunks again and again. They take about 15 MB. */
const maxRemembered = 50_000;

/** A project's code index in PostgreSQL. Every change is one transaction. */
export class PostgresIndex implements CodeIndex {
  readonly commits: PostgresCommits;
  private readonly words = new PostgresWords("chunks");
  private readonly vectors: PostgresVectors;
  private readonly remembered = new Map<ChunkId, ChunkOutline>();

  /**
   * @param rows belong to the index from now on, which closes them
   * @param maxCompared vectors of a model that are compared without an index; set by tests only
   */
  constructor(
    private readonly rows: ProjectRows,
    maxCompared?: number,
  ) {
    this.vectors = new PostgresVectors(maxCompared);
    this.commits = new PostgresCommits(rows);
  }

  // Searching

  revision(): Promise<string> {
    return this.rows.revision();
  }

  lexical(tokens: readonly string[], weights: FieldWeights, k: number, scope: Scope): Promise<Match[]> {
    return this.rows.read(async (snapshot) => {
      const chunks = scope.files && (await chunksIn(snapshot, scope.files));
      const inScope = scopeFilter(scope.levels, chunks);
      const words = tokens.filter((token) => !token.includes(" "));
      const best = await (await this.words.at(snapshot)).best(words, weights, k, inScope);
      return best.map(({ row, score }) => ({ id: chunkId(row), score }));
    });
  }

  nearest(query: QueryVector, k: number, scope: Scope): Promise<Match[]> {
    return this.rows.read((snapshot) => this.vectors.nearest(snapshot, query, k, scope));
  }

  similarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    return this.rows.ask((sql, project) => this.vectors.similarities({ sql, project }, query, ids));
  }

  definitions(keys: readonly string[], limit: number): Promise<Definition[]> {
    return this.rows.ask(
      (sql, project) => sql<Definition[]>`
        SELECT found.* FROM unnest(${[...keys]}::text[]) WITH ORDINALITY AS wanted (key, place),
          LATERAL (SELECT chunk AS id, key, name, kind FROM pommel_index_3.symbols
            WHERE project = ${project} AND symbols.key = wanted.key ORDER BY chunk LIMIT ${limit}) found
        ORDER BY place, id`,
    );
  }

  frequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.rows.read(async (snapshot) => (await this.words.at(snapshot)).frequencies(tokens));
  }

  phrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    return this.rows.read(async (snapshot) =>
      (await (await this.words.at(snapshot)).holders(phrases, limit)).map((ids) => ids.map(chunkId)),
    );
  }

  outlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
    return this.rows.read(async (snapshot) => {
      const present = await this.words.present(snapshot);
      const unknown: ChunkId[] = [];
      const found: ChunkOutline[] = [];
      for (const id of ids) {
        const known = this.remembered.get(id);
        if (!present.has(Number(id))) continue;
        if (known) found.push(known);
        else unknown.push(id);
      }
      if (unknown.length === 0) return found;
      if (this.remembered.size > maxRemembered) this.remembered.clear();
      for (const outline of await outlinesOf(snapshot, unknown)) {
        this.remembered.set(outline.id, outline);
        found.push(outline);
      }
      return found;
    });
  }

  chunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return this.rows.ask(async (sql, project) => {
      const rows = await storedChunks(sql, project, "id", ids);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    });
  }

  chunksOf(files: readonly FileId[]): Promise<StoredChunk[]> {
    return this.rows.ask((sql, project) => storedChunks(sql, project, "file", files));
  }

  async graphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>> {
    const rows = await this.rows.ask(
      (sql, project) => sql<{ file: FileId; data: Uint8Array }[]>`
        SELECT file, data FROM pommel_index_3.graphs
        WHERE project = ${project} AND file = ANY(${[...files] as number[]}::integer[])`,
    );
    return new Map(rows.map(({ file, data }) => [file, data]));
  }

  files(): Promise<IndexEntry[]> {
    return this.rows.ask(
      (sql, project) => sql<IndexEntry[]>`
        SELECT id, path, language FROM pommel_index_3.files WHERE project = ${project} AND skip_reason IS NULL`,
    );
  }

  vectorCounts(): Promise<VectorCounts[]> {
    return this.rows.read((snapshot) => this.vectors.counts(snapshot));
  }

  async release(): Promise<void> {
    this.words.release();
    this.commits.release();
    this.remembered.clear();
  }

  // Writing

  async known(below?: string): Promise<Map<string, KnownFile>> {
    const rows = await this.rows.ask(
      (sql, project) => sql<KnownFile[]>`
        SELECT path, size, mtime_ms AS "mtimeMs", hash FROM pommel_index_3.files WHERE project = ${project}
          ${below === undefined ? sql`` : sql`AND (path = ${below} OR path > ${`${below}/`} AND path < ${`${below}0`})`}`,
    );
    return new Map(rows.map((row) => [row.path, row]));
  }

  replace(file: IndexedFile | SkippedFile, vectors?: FileVectors): Promise<void> {
    return this.write([file.status === "skipped" ? file : { ...file, ...(vectors && { vectors }) }]);
  }

  async write(changes: readonly FileChange[]): Promise<void> {
    const added = changes.reduce((sum, one) => sum + (one.status === "indexed" ? one.chunks.length : 0), 0);
    await this.rows.write(async (change) => {
      await this.forget(
        change,
        changes.flatMap(({ status, path }) => (status === "unchanged" ? [] : [path])),
      );
      await restamp(
        change,
        changes.filter((one) => one.status === "unchanged"),
      );
      await insertFiles(
        change,
        changes.filter((one) => one.status === "indexed" || one.status === "skipped"),
        { words: this.words, vectors: this.vectors },
      );
      if (added >= fewChunks || (await this.words.isLate(change))) await this.words.merge(change);
    });
  }

  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length > 0) await this.rows.write((change) => this.forget(change, paths));
  }

  private async forget(change: Change, paths: readonly string[]): Promise<void> {
    const { sql, project } = change;
    const rows = await sql<{ id: number }[]>`
      DELETE FROM pommel_index_3.files WHERE project = ${project} AND path = ANY(${[...paths]}::text[]) RETURNING id`;
    if (rows.length === 0) return;
    const files = rows.map(({ id }) => id);
    const chunks = await sql<{ id: number }[]>`
      DELETE FROM pommel_index_3.chunks WHERE project = ${project} AND file = ANY(${files}::integer[]) RETURNING id`;
    await sql`DELETE FROM pommel_index_3.symbols WHERE project = ${project} AND file = ANY(${files}::integer[])`;
    await sql`DELETE FROM pommel_index_3.graphs WHERE project = ${project} AND file = ANY(${files}::integer[])`;
    await this.vectors.remove(change, files);
    await this.words.remove(
      change,
      chunks.map(({ id }) => id),
    );
  }

  addVectors({ path, hash, chunks }: IndexedFile, vectors: FileVectors): Promise<boolean> {
    return this.rows.write(async (change) => {
      const { sql, project } = change;
      const stored = await sql<{ id: number; uid: string; file: number }[]>`
        SELECT c.id, c.uid, c.file FROM pommel_index_3.files f JOIN pommel_index_3.chunks c ON c.project = ${project} AND c.file = f.id
        WHERE f.project = ${project} AND f.path = ${path} AND f.hash = ${hash} ORDER BY c.id`;
      const first = stored[0];
      const isSame = stored.length === chunks.length && stored.every(({ uid }, i) => uid === chunks[i]!.id);
      if (!first || !isSame) return false;
      await this.vectors.remove(change, [first.file], vectors.model);
      const levels = chunks.map(({ level }) => level);
      await this.vectors.add(change, [{ file: first.file, firstChunk: first.id, levels, given: vectors }]);
      return true;
    });
  }

  async withoutVectors({ model, dimensions }: Pick<FileVectors, "model" | "dimensions">): Promise<string[]> {
    const rows = await this.rows.ask(
      (sql, project) => sql<{ path: string }[]>`
        SELECT path FROM pommel_index_3.files f WHERE project = ${project} AND chunks > 0 AND NOT EXISTS (
          SELECT 1 FROM pommel_index_3.spaces s JOIN pommel_index_3.embedded_files e ON e.space = s.id AND e.file = f.id
          WHERE s.project = ${project} AND s.model = ${model} AND s.dimensions = ${dimensions})
        ORDER BY id DESC`,
    );
    return rows.map(({ path }) => path);
  }

  async keepModels(models: readonly string[]): Promise<void> {
    const others = (await this.vectorCounts()).some(({ model }) => !models.includes(model));
    if (others) await this.vectors.keepModels(this.rows, models);
  }

  async settle(): Promise<void> {
    const isDue = () => this.rows.ask((sql, project) => this.words.isDue({ sql, project }));
    while (await isDue()) await this.rows.write((change) => this.words.merge(change));
    await this.vectors.settle(this.rows);
  }

  // The index itself

  counts(): Promise<IndexCounts> {
    return this.rows.read(async ({ sql, project }) => {
      const rows = await sql<FileTotals[]>`
        SELECT language, skip_reason AS reason, count(*)::integer AS files, sum(chunks)::integer AS chunks FROM pommel_index_3.files
        WHERE project = ${project} GROUP BY 1, 2`;
      const [terms] = await sql<{ bytes: number }[]>`
        SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM pommel_index_3.word_segments WHERE project = ${project} AND holds = 'chunks'`;
      return countsOf(rows, terms!.bytes);
    });
  }

  async skipped(): Promise<{ path: string; reason: SkipReason; size: number }[]> {
    return this.rows.ask(
      (sql, project) => sql<{ path: string; reason: SkipReason; size: number }[]>`
        SELECT path, skip_reason AS reason, size FROM pommel_index_3.files
        WHERE project = ${project} AND skip_reason IS NOT NULL ORDER BY path`,
    );
  }

  lastIndexedAt(): Promise<number | null> {
    return this.rows.ask(async (sql, project) => {
      const [row] = await sql<{ at: number }[]>`
        SELECT indexed_at AS at FROM pommel_index_3.files WHERE project = ${project} ORDER BY id DESC LIMIT 1`;
      return row?.at ?? null;
    });
  }

  meta(key: string): Promise<string | null> {
    return this.rows.ask(async (sql, project) => {
      const [row] = await sql<{ value: string }[]>`
        SELECT value FROM pommel_index_3.meta WHERE project = ${project} AND key = ${key}`;
      return row?.value ?? null;
    });
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.rows.ask(async (sql, project) => {
      await sql`INSERT INTO pommel_index_3.meta (project, key, value) VALUES (${project}, ${key}, ${value})
        ON CONFLICT (project, key) DO UPDATE SET value = excluded.value`;
    });
  }

  /**
   * What the index takes on the server, about: rows of several projects share their tables, so sizes of rows are assumed.
   * Bytes.
   */
  async bytes(): Promise<number> {
    const { chunks, termBytes } = await this.counts();
    const ofVectors = (await this.vectorCounts()).reduce(
      (sum, counted) => sum + (counted.chunks - counted.missing) * (2 * counted.dimensions + 100),
      0,
    );
    const ofProject = 1000;
    return ofProject + Math.round(termBytes * 1.5) + chunks * 400 + ofVectors;
  }

  /** @throws PommelError as `ProjectRows.open` */
  open(): Promise<void> {
    return this.rows.open();
  }

  close(): Promise<void> {
    return this.rows.close();
  }
}
