import { levels as allLevels, type Level } from "../../../project/levels.ts";
import type { ChunkId, Match, QueryVector, Scope, VectorCounts } from "../port.ts";
import type { FileVectors } from "../records.ts";
import type { Database } from "./engine.ts";
import { HeldSpace } from "./held-space.ts";
import type { FileEntry, Next, Space, State } from "./state.ts";
import { type Opened, tableIn, type VectorTable, vectorLayout, vectorTableName } from "./store.ts";

interface EmbeddedFile {
  entry: FileEntry;
  levels: readonly Level[];
  given: FileVectors;
}

/** Vectors of chunks: stored by LanceDB, and compared in memory, all of them, so that the nearest are found. */
export class LanceVectors {
  private db: Database | null = null;
  /** By space. */
  private readonly tables = new Map<number, VectorTable>();
  private readonly held = new Map<number, HeldSpace>();

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
    const space = opened.state.spaces.find(isOf(model, vector.length));
    if (space === undefined) return [];
    const found = await (await this.heldOf(opened, space)).ask(opened, (held) =>
      held.nearest(vector, k, scope),
    );
    return found.map(({ row, score }) => ({ id: row as unknown as ChunkId, score }));
  }

  async similarities(
    opened: Opened,
    { model, vector }: QueryVector,
    ids: readonly ChunkId[],
  ): Promise<Float64Array> {
    const space = opened.state.spaces.find(isOf(model, vector.length));
    if (space === undefined) return new Float64Array(ids.length).fill(Number.NaN);
    const held = await this.heldOf(opened, space);
    return held.ask(opened, (vectors) => vectors.similarities(vector, ids.map(Number)));
  }

  private async heldOf(opened: Opened, space: Space): Promise<HeldSpace> {
    const table = await this.tableOf(opened, space);
    let held = this.held.get(space.id);
    if (held === undefined) {
      held = new HeldSpace(space, table);
      this.held.set(space.id, held);
    }
    return held;
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.held.clear();
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
      this.held.delete(id);
      await opened.db.drop(vectorTableName(id));
    }
  }

  async tableOf({ db }: Opened, { id, dimensions }: Space): Promise<VectorTable> {
    // Another index may be there by now, whose numbers mean something else.
    if (db !== this.db) {
      this.tables.clear();
      this.held.clear();
      this.db = db;
    }
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
