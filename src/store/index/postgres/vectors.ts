import { levels as allLevels, type Level } from "../../../project/levels.ts";
import type { Queryable } from "../../postgres/server.ts";
import type { ChunkId, Match, QueryVector, Scope, VectorCounts } from "../port.ts";
import type { FileVectors } from "../records.ts";
import { type Change, jsonRows, type ProjectRows, type Snapshot } from "./rows.ts";
import { schemaName } from "./schema.ts";

/**
 * A space with more vectors gets an index (HNSW, Malkov and Yashunin, 2016), which finds most of the nearest; all of fewer are
 * compared, which finds them all.
 */
const maxExact = 50_000;
/** How many an index looks at, the most that pgvector allows: of the ten nearest of 109,000 it finds .997, and .973 with 400. */
const searched = 1000;

/** What the links of a vector take while the index is made, about. Where all do not fit, making it takes several times as long. */
const bytesOfLinks = 500;
/** The server's memory that making an index may take at most; its own setting is 64 MB where nobody changed it. */
const maxBuildBytes = 1024 ** 3;

interface Space {
  id: number;
  model: string;
  dimensions: number;
  isIndexed: boolean;
}

/** The chunks of a file, in their order. */
interface EmbeddedFile {
  file: number;
  firstChunk: number;
  levels: readonly Level[];
}

const indexOf = (space: number) => `vectors_near_${space}`;
const literal = (vector: ArrayLike<number>) => `[${Array.prototype.join.call(vector, ",")}]`;

/** Vectors of chunks, compared by pgvector. */
export class PostgresVectors {
  private known: { revision: string; spaces: readonly Space[] } | null = null;
  private counted: { revision: string; counts: VectorCounts[] } | null = null;

  constructor(private readonly maxCompared = maxExact) {}

  /** Adds a model's vectors of a file that has none. */
  async add(
    { sql, project }: Change,
    files: readonly (EmbeddedFile & { given: FileVectors })[],
  ): Promise<void> {
    const spaces = new Map<string, number>();
    const embedded: object[] = [];
    const rows: object[] = [];
    for (const { file, firstChunk, levels, given } of files) {
      const { model, dimensions, vectors } = given;
      if (vectors.length !== levels.length) {
        throw new Error(`${levels.length} chunks, ${vectors.length} vectors`);
      }
      const name = `${dimensions} ${model}`;
      let space = spaces.get(name);
      if (space === undefined) {
        await sql`INSERT INTO pommel_index_3.spaces (project, model, dimensions) VALUES (${project}, ${model}, ${dimensions})
          ON CONFLICT DO NOTHING`;
        const [row] = await sql<{ id: number }[]>`SELECT id FROM pommel_index_3.spaces
          WHERE project = ${project} AND model = ${model} AND dimensions = ${dimensions}`;
        space = row!.id;
        spaces.set(name, space);
      }
      vectors.forEach((vector, i) => {
        if (vector === null) return;
        if (vector.length !== dimensions) throw new Error(`${vector.length} dimensions, not ${dimensions}`);
        // One that is all zero has no direction.
        if (!vector.some((one) => one !== 0)) return;
        rows.push({ s: space, c: firstChunk + i, f: file, l: levels[i], v: literal(vector) });
      });
      const missing = vectors.filter((vector) => vector === null).length;
      embedded.push({ s: space, f: file, c: vectors.length, m: missing });
    }
    await sql`INSERT INTO pommel_index_3.embedded_files SELECT s, f, c, m
      FROM json_to_recordset(${jsonRows(embedded)}::text::json) AS r (s integer, f integer, c integer, m integer)`;
    await sql`INSERT INTO pommel_index_3.vectors SELECT s, c, f, l, v::halfvec
      FROM json_to_recordset(${jsonRows(rows)}::text::json) AS r (s integer, c integer, f integer, l text, v text)`;
  }

  /** @param model only of this one; null: of all */
  async remove(
    { sql, project }: Change,
    files: readonly number[],
    model: string | null = null,
  ): Promise<void> {
    const spaces = await sql<{ id: number }[]>`SELECT id FROM pommel_index_3.spaces
      WHERE project = ${project} AND (${model}::text IS NULL OR model = ${model})`;
    const ids = spaces.map(({ id }) => id);
    if (ids.length === 0) return;
    for (const table of ["vectors", "embedded_files"]) {
      await sql`DELETE FROM ${sql(`${schemaName}.${table}`)}
        WHERE space = ANY(${ids}::integer[]) AND file = ANY(${[...files]}::integer[])`;
    }
  }

  /** Forgets all models but these. */
  keepModels(rows: ProjectRows, models: readonly string[]): Promise<void> {
    return rows.write(async ({ sql, project }) => {
      const spaces = await sql<{ id: number }[]>`DELETE FROM pommel_index_3.spaces
        WHERE project = ${project} AND NOT model = ANY(${[...models]}::text[]) RETURNING id`;
      const ids = spaces.map(({ id }) => id);
      for (const table of ["vectors", "embedded_files"]) {
        await sql`DELETE FROM ${sql(`${schemaName}.${table}`)} WHERE space = ANY(${ids}::integer[])`;
      }
      for (const id of ids) await sql.unsafe(`DROP INDEX IF EXISTS ${schemaName}.${indexOf(id)}`);
    });
  }

  async counts({ sql, project, revision }: Snapshot): Promise<VectorCounts[]> {
    if (this.counted?.revision !== revision) {
      const counts = await sql<VectorCounts[]>`
        SELECT model, dimensions, sum(e.chunks)::integer AS chunks, sum(e.missing)::integer AS missing
        FROM pommel_index_3.spaces JOIN pommel_index_3.embedded_files e ON e.space = spaces.id WHERE project = ${project}
        GROUP BY model, dimensions`;
      this.counted = { revision, counts };
    }
    return this.counted.counts;
  }

  async nearest(snapshot: Snapshot, query: QueryVector, k: number, scope: Scope): Promise<Match[]> {
    const space = await this.spaceOf(snapshot, query);
    if (space === null || k < 1 || scope.files?.length === 0) return [];
    const conditions = [`space = ${space.id}`];
    if (scope.levels !== null) {
      const wanted = allLevels.filter((level) => scope.levels?.includes(level));
      conditions.push(`level = ANY('{${wanted}}'::text[])`);
    }
    if (scope.files !== null) conditions.push(`file = ANY('{${scope.files.map(Number)}}'::integer[])`);
    // The type with its length is what the index is made of.
    const type = `halfvec(${space.dimensions})`;
    const distance = `vector::${type} <=> '${literal(query.vector)}'::${type}`;
    const select = `SELECT chunk AS id, 1 - (${distance}) AS score FROM pommel_index_3.vectors
      WHERE ${conditions.join(" AND ")} ORDER BY ${distance} ${space.isIndexed ? "" : ", chunk"} LIMIT ${Math.trunc(k)}`;
    const rows = space.isIndexed
      ? await withSettings(snapshot.sql, select)
      : await snapshot.sql.unsafe<Match[]>(select);
    return rows.filter(({ score }) => !Number.isNaN(score)).map(({ id, score }) => ({ id, score }));
  }

  async similarities(
    { sql, project }: Pick<Snapshot, "sql" | "project">,
    { model, vector }: QueryVector,
    ids: readonly ChunkId[],
  ): Promise<Float64Array> {
    const rows = await sql<{ chunk: ChunkId; score: number }[]>`
      SELECT chunk, 1 - (vector <=> ${literal(vector)}::text::halfvec) AS score FROM pommel_index_3.vectors
      WHERE chunk = ANY(${[...ids] as number[]}::integer[]) AND space = (SELECT id FROM pommel_index_3.spaces
        WHERE project = ${project} AND model = ${model} AND dimensions = ${vector.length})`;
    const scores = new Map(rows.map(({ chunk, score }) => [chunk, score]));
    return Float64Array.from(ids, (id) => scores.get(id) ?? Number.NaN);
  }

  /** Makes the index of a space that has become large. Writers go on meanwhile. */
  async settle(rows: ProjectRows): Promise<void> {
    const large = await rows.ask(
      (sql, project) => sql<(Space & { vectors: number })[]>`
        SELECT id, dimensions, vectors FROM pommel_index_3.spaces,
          LATERAL (SELECT sum(chunks - missing) AS vectors FROM pommel_index_3.embedded_files WHERE space = spaces.id) counted
        WHERE project = ${project} AND vectors > ${this.maxCompared}`,
    );
    for (const { id, dimensions, vectors } of large) {
      const isThere = await rows.ask(async (sql) => {
        const [row] = await sql<{ valid: boolean }[]>`SELECT indisvalid AS valid FROM pg_index
          WHERE indexrelid = to_regclass(${`${schemaName}.${indexOf(id)}`})`;
        if (row?.valid) return true;
        // One that was not finished is of no use.
        if (row) await sql.unsafe(`DROP INDEX ${schemaName}.${indexOf(id)}`);
        return false;
      });
      if (isThere) continue;
      const bytes = Math.min(vectors * (2 * dimensions + bytesOfLinks), maxBuildBytes);
      await rows.withMemory(bytes, (sql) =>
        sql.unsafe(
          `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${indexOf(id)} ON ${schemaName}.vectors
             USING hnsw ((vector::halfvec(${dimensions})) halfvec_cosine_ops) WHERE space = ${id}`,
        ),
      );
      this.known = null;
    }
  }

  private async spaceOf(snapshot: Snapshot, { model, vector }: QueryVector): Promise<Space | null> {
    if (this.known?.revision !== snapshot.revision) {
      const spaces = await snapshot.sql<Space[]>`
        SELECT spaces.id, model, dimensions, coalesce(indisvalid, false) AS "isIndexed" FROM pommel_index_3.spaces
        LEFT JOIN pg_index ON indexrelid = to_regclass(${`${schemaName}.vectors_near_`} || spaces.id)
        WHERE project = ${snapshot.project}`;
      this.known = { revision: snapshot.revision, spaces };
    }
    return this.known.spaces.find((one) => one.model === model && one.dimensions === vector.length) ?? null;
  }
}

/** Statements that are sent together are a transaction, which the settings end with. */
async function withSettings(sql: Queryable, select: string): Promise<Match[]> {
  const answers: unknown = await sql.unsafe(
    `SET LOCAL hnsw.ef_search = ${searched}; SET LOCAL hnsw.iterative_scan = strict_order; ${select}`,
  );
  return (answers as Match[][]).at(-1)!;
}
