import { levels as allLevels, type Level } from "../../../project/levels.ts";
import type { ChunkId, FileId, Match, QueryVector, Scope, VectorCounts } from "../port.ts";
import type { FileVectors } from "../records.ts";
import type { FileEntry, Next, Space, State } from "./state.ts";
import { type Opened, type VectorTable, vectorLayout, vectorTableName } from "./store.ts";

/** Several chunks may be equally near, and of those the older are wanted. */
const spare = 32;

interface EmbeddedFile {
  entry: FileEntry;
  levels: readonly Level[];
  given: FileVectors;
}

/** Vectors of chunks, compared by LanceDB: all of them, so that the nearest are found. */
export class LanceVectors {
  private readonly tables = new Map<number, VectorTable>();

  /** Adds a model's vectors of files, and notes them in their entries. @returns spaces that are new */
  async add(opened: Opened, next: Next, files: readonly EmbeddedFile[]): Promise<Space[]> {
    for (const { given, levels } of files) {
      const { vectors, dimensions } = given;
      if (vectors.length !== levels.length)
        throw new Error(`${levels.length} chunks, ${vectors.length} vectors`);
      const misfit = vectors.find((vector) => vector !== null && vector.length !== dimensions);
      if (misfit) throw new Error(`${misfit.length} dimensions, not ${dimensions}`);
    }
    const added: Space[] = [];
    const rows = new Map<Space, Parameters<VectorTable["add"]>[0][number][]>();
    for (const { entry, levels, given } of files) {
      const { model, dimensions, vectors } = given;
      let space = [...opened.state.spaces, ...added].find(isOf(model, dimensions));
      if (space === undefined) {
        space = { id: next.space++, model, dimensions };
        added.push(space);
        this.tables.set(
          space.id,
          await opened.db.create(vectorTableName(space.id), vectorLayout(dimensions)),
        );
      }
      const of = next.embedded++;
      const ofSpace = rows.get(space) ?? [];
      rows.set(space, ofSpace);
      vectors.forEach((vector, i) => {
        // One that is all zero has no direction.
        if (vector?.some((one) => one !== 0))
          ofSpace.push({ id: entry.firstChunk + i, of, level: allLevels.indexOf(levels[i]!), vector });
      });
      const missing = vectors.filter((vector) => vector === null).length;
      const others = entry.embedded.filter((one) => one.space !== space.id);
      entry.embedded = [...others, { space: space.id, of, missing }];
    }
    for (const [space, ofSpace] of rows) await (await this.tableOf(opened, space)).add(ofSpace);
    return added;
  }

  counts({ spaces, files }: State): VectorCounts[] {
    const counts = spaces.map(({ id, model, dimensions }) => {
      let [chunks, missing] = [0, 0];
      for (const file of files.values()) {
        const embedded = file.embedded.find(({ space }) => space === id);
        if (embedded === undefined) continue;
        chunks += file.chunks;
        missing += embedded.missing;
      }
      return { model, dimensions, chunks, missing };
    });
    return counts.filter(({ chunks }) => chunks > 0);
  }

  async nearest(opened: Opened, { model, vector }: QueryVector, k: number, scope: Scope): Promise<Match[]> {
    const { state } = opened;
    const space = state.spaces.find(isOf(model, vector.length));
    if (space === undefined || k < 1 || scope.files?.length === 0 || dot(vector, vector) === 0) return [];
    const where = conditionOf(state, space, scope);
    if (where === nothing) return [];
    const table = await this.tableOf(opened, space);
    const rows = await table.nearest(["id", "of", "vector"], vector, k + spare, where);
    const counts = isLive(state);
    return rows
      .filter(({ of }) => counts(of))
      .map(({ id, vector: other }) => ({ id: id as unknown as ChunkId, score: cosine(vector, other) }))
      .sort((a, b) => b.score - a.score || Number(a.id) - Number(b.id))
      .slice(0, k);
  }

  async similarities(
    opened: Opened,
    { model, vector }: QueryVector,
    ids: readonly ChunkId[],
  ): Promise<Float64Array> {
    const similarities = new Float64Array(ids.length).fill(Number.NaN);
    const space = opened.state.spaces.find(isOf(model, vector.length));
    if (space === undefined || ids.length === 0) return similarities;
    const table = await this.tableOf(opened, space);
    const rows = await table.among(["id", "of", "vector"], "id", ids as unknown as number[]);
    const counts = isLive(opened.state);
    const scores = new Map(
      rows.flatMap(({ id, of, vector: other }) => (counts(of) ? [[id, cosine(vector, other)] as const] : [])),
    );
    ids.forEach((id, i) => {
      similarities[i] = scores.get(Number(id)) ?? Number.NaN;
    });
    return similarities;
  }

  /** Removes rows of what is gone. */
  async sweep(opened: Opened): Promise<void> {
    const { dead, spaces } = opened.state;
    for (const space of spaces) {
      const gone = dead.embedded.filter((one) => one.space === space.id).map(({ of }) => of);
      if (gone.length > 0) await (await this.tableOf(opened, space)).remove("of", gone);
    }
    for (const id of dead.spaces) {
      this.tables.delete(id);
      await opened.db.drop(vectorTableName(id));
    }
  }

  async tableOf({ db }: Opened, { id, dimensions }: Space): Promise<VectorTable> {
    let table = this.tables.get(id);
    if (table === undefined) {
      table = await db.open(vectorTableName(id), vectorLayout(dimensions));
      this.tables.set(id, table);
    }
    return table;
  }
}

const isOf = (model: string, dimensions: number) => (one: Space) =>
  one.model === model && one.dimensions === dimensions;

const nothing = "false";

/** Which rows are of the scope and not gone; null: all of them. */
function conditionOf({ files, byId, dead }: State, { id: space }: Space, scope: Scope): string | null {
  const conditions: string[] = [];
  if (scope.levels !== null) {
    conditions.push(`level IN (${scope.levels.map((level) => allLevels.indexOf(level))})`);
  }
  const embeddedIn = (entries: Iterable<FileEntry>) =>
    [...entries].flatMap(({ embedded }) => embedded.flatMap((one) => (one.space === space ? [one.of] : [])));
  const gone = dead.embedded.flatMap((one) => (one.space === space ? [one.of] : []));
  if (scope.files === null) {
    if (gone.length > 0) conditions.push(`of NOT IN (${gone})`);
  } else {
    const wanted = new Set<FileId>(scope.files);
    const isMost = 2 * wanted.size > byId.size;
    const listed = embeddedIn(
      [...files.values()].filter(({ id }) => wanted.has(id as unknown as FileId) !== isMost),
    );
    if (isMost) listed.push(...gone);
    else if (listed.length === 0) return nothing;
    if (listed.length > 0) conditions.push(`of ${isMost ? "NOT IN" : "IN"} (${listed})`);
  }
  return conditions.length === 0 ? null : conditions.join(" AND ");
}

/** Whether vectors count: others were removed, or belong to a change that failed. */
function isLive({ dead, next }: State): (of: number) => boolean {
  const gone = new Set(dead.embedded.map(({ of }) => of));
  return (of) => of < next.embedded && !gone.has(of);
}

function dot(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Exact: what LanceDB computes has seven digits. */
const cosine = (a: Int8Array, b: Int8Array) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
