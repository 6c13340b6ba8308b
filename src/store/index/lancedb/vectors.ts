import { levels as allLevels, type Level } from "../../../project/levels.ts";
import type { ChunkId, FileId, Match, QueryVector, Scope, VectorCounts } from "../port.ts";
import type { FileVectors } from "../records.ts";
import type { FileEntry, Next, Space, State } from "./state.ts";
import { type Opened, tableIn, type VectorTable, vectorLayout, vectorTableName } from "./store.ts";

/** Several chunks may be equally near, and of those the older are wanted. */
const spare = 32;

/** Vectors of a space that are remembered, as searches meet the same chunks again and again. They take about 20 MB. */
const maxRemembered = 50_000;

interface Remembered {
  of: number;
  vector: Int8Array;
}

interface EmbeddedFile {
  entry: FileEntry;
  levels: readonly Level[];
  given: FileVectors;
}

/** Vectors of chunks, compared by LanceDB: all of them, so that the nearest are found. */
export class LanceVectors {
  private readonly tables = new Map<number, VectorTable>();
  /** By space and chunk. */
  private readonly remembered = new Map<number, Map<number, Remembered>>();

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
    const rows = await table.nearest(["id"], vector, k + spare, where);
    const found = rows.map(({ id }) => id);
    const vectors = await this.vectorsOf(opened, space, found);
    return found
      .flatMap((id): Match[] => {
        const other = vectors.get(id);
        return other ? [{ id: id as unknown as ChunkId, score: cosine(vector, other) }] : [];
      })
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
    const vectors = await this.vectorsOf(opened, space, ids as unknown as number[]);
    ids.forEach((id, i) => {
      const other = vectors.get(Number(id));
      if (other) similarities[i] = cosine(vector, other);
    });
    return similarities;
  }

  /** Vectors of chunks; those that are gone, or have none, are missing. */
  private async vectorsOf(
    opened: Opened,
    space: Space,
    ids: readonly number[],
  ): Promise<Map<number, Int8Array>> {
    const remembered = this.remembered.get(space.id) ?? new Map<number, Remembered>();
    this.remembered.set(space.id, remembered);
    const counts = isLive(opened.state);
    const known = (id: number) => {
      const one = remembered.get(id);
      return one && counts(one.of) ? one : undefined;
    };
    const unknown = ids.filter((id) => known(id) === undefined);
    const vectors = new Map<number, Int8Array>();
    for (const id of ids) {
      const one = known(id);
      if (one) vectors.set(id, one.vector);
    }
    if (unknown.length === 0) return vectors;
    if (remembered.size > maxRemembered) remembered.clear();
    const table = await this.tableOf(opened, space);
    for (const { id, of, vector } of await table.among(["id", "of", "vector"], "id", unknown)) {
      if (!counts(of)) continue;
      vectors.set(id, vector);
      remembered.set(id, { of, vector: vector.slice() });
    }
    return vectors;
  }

  release(): void {
    this.remembered.clear();
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
      this.remembered.delete(id);
      await opened.db.drop(vectorTableName(id));
    }
  }

  async tableOf({ db }: Opened, { id, dimensions }: Space): Promise<VectorTable> {
    let table = this.tables.get(id);
    if (table === undefined) {
      table = await tableIn(db, vectorTableName(id), vectorLayout(dimensions));
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
