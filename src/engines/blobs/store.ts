import { randomUUID } from "node:crypto";
import pLimit from "p-limit";
import * as z from "zod/mini";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { type BlobEngine, type BlobStore, decodeText, encodeText, type StoredBlob } from "./blob-store.ts";
import { EngineConnection } from "./connection.ts";
import { IndexState, type Next, type StateChange, stateChange, wholeState } from "./state.ts";

/** What is inside the blobs. An index with another one is made again. */
const formatVersion = 2;

const formatted = z.object({ format: z.literal(formatVersion) });

/** Entries of the journal that reading it may go through. */
const maxEntries = 500;

/** Key of `meta`: who wrote the index last, so that revisions of one that was made again are not those of the one before. */
export const identity = "identity";

/** An index that is open. */
export interface OpenedIndex {
  blobs: BlobStore;
  state: IndexState;
  /** The number of the journal's last entry that the state has; -1 for none. */
  revision: number;
  /** `BlobStore.version` when the journal was read last. */
  version: number;
  /** The number of the last blob with the whole state; -1 for none. */
  wholeAt: number;
}

/** What a question met is no longer there: it is asked again. */
export class Outdated extends Error {}

/** Blobs that cannot be what was written. */
class Damage extends Error {}

/** What a change adds, and what becomes of the state by it. */
export interface WrittenChange {
  change: StateChange;
  blobs?: readonly StoredBlob[];
}

/**
 * The blobs of an index. An engine need have no transactions: the blobs of a change and its entry in the journal are added at
 * once, and blobs that are added before count when that entry names them. Those that no entry names, as the program ended
 * too early, have numbers that were not given out, and are removed before the next change.
 */
export class IndexStore {
  private readonly connection: EngineConnection<OpenedIndex>;
  private isClosed = false;
  /** Blobs may have been added that nothing names. */
  private isUnsure = false;
  private readonly oneByOne = pLimit(1);

  constructor(
    engine: BlobEngine,
    file: string,
    private readonly mode: "read" | "write" | "rebuild",
  ) {
    this.connection = new EngineConnection({
      open: async () => {
        const blobs = await engine.open(file, mode);
        if (blobs === null) throw makeNoStoredIndexError(engine.describePlace(file));
        const opened = { blobs, state: new IndexState(), revision: -1, version: -1, wholeAt: -1 };
        try {
          await (mode === "read" ? follow(opened) : begin(opened));
        } catch (error) {
          await blobs.close();
          throw error;
        }
        if (opened.revision < 0) throw makeNoStoredIndexError(engine.describePlace(file));
        return opened;
      },
      explain: (error) => explain(error, engine, file),
      end: ({ blobs }) => blobs.close(),
    });
  }

  /** @throws PommelError `not_indexed` (to read), `index_corrupt`, `index_unavailable` */
  async open(): Promise<void> {
    await this.connection.explainErrors(() => this.openLatest());
  }

  /** A question; it sees the last change that was done. */
  read<T>(ask: (opened: OpenedIndex) => Promise<T> | T): Promise<T> {
    return this.connection.explainErrors(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await ask(await this.openLatest());
        } catch (error) {
          if (tries === 3 || !(error instanceof Outdated)) throw error;
        }
      }
    });
  }

  /** One change, after those that began before it. @param change takes numbers from `next`; null: nothing changes */
  write(change: (opened: OpenedIndex, next: Next) => Promise<WrittenChange | null>): Promise<void> {
    return this.runInTurn(async () => {
      const opened = await this.openLatest();
      if (this.isUnsure) await prepare(opened);
      const next = { ...opened.state.next };
      this.isUnsure = true;
      const written = await change(opened, next);
      if (written !== null) await append(opened, { ...written.change, next }, written.blobs);
      this.isUnsure = false;
    });
  }

  /** Gives back the room of what is dead. */
  compact(): Promise<void> {
    return this.runInTurn(async () => {
      const opened = await this.openLatest();
      const { blobs, state } = opened;
      const { file, segment, words, vectors, commit } = state.dead;
      await blobs.remove("file", file);
      await blobs.remove("graph", file);
      await blobs.remove("segment", segment);
      await blobs.remove("words", words);
      await blobs.remove("places", words);
      await blobs.remove("vectors", vectors);
      await blobs.remove("commit", commit);
      if (Object.values(state.dead).some((numbers) => numbers.length > 0))
        await append(opened, { swept: true });
      await writeWhole(opened);
      await blobs.compact();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.oneByOne(() => {});
    await this.connection.end();
  }

  private runInTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.oneByOne(() => this.connection.explainErrors(work));
  }

  private async openLatest(): Promise<OpenedIndex> {
    if (this.isClosed) throw new Error("The index is closed.");
    const opened = await this.connection.ensureOpened();
    if (this.mode === "read") await follow(opened);
    return opened;
  }
}

/** For a writer. Its revisions are never those of another, from which this index may have been copied. */
async function begin(opened: OpenedIndex): Promise<void> {
  await prepare(opened);
  await append(opened, { meta: { [identity]: randomUUID() } });
}

/** Removes what no entry of the journal names. */
async function prepare(opened: OpenedIndex): Promise<void> {
  const { blobs } = opened;
  await follow(opened);
  const { next } = opened.state;
  await blobs.removeFrom("file", next.file);
  await blobs.removeFrom("graph", next.file);
  await blobs.removeFrom("segment", next.segment);
  await blobs.removeFrom("words", next.words);
  await blobs.removeFrom("places", next.words);
  await blobs.removeFrom("vectors", next.vectors);
  await blobs.removeFrom("commit", next.chunk);
}

async function append(
  opened: OpenedIndex,
  change: StateChange,
  blobs: readonly StoredBlob[] = [],
): Promise<void> {
  const number = opened.revision + 1;
  const bytes = encodeText(JSON.stringify({ format: formatVersion, ...change }));
  await opened.blobs.add([...blobs, { kind: "journal", number, bytes }]);
  opened.state.apply(change);
  opened.revision = number;
  if (number - opened.wholeAt >= maxEntries) await writeWhole(opened);
}

/** The entries that the whole state makes superfluous go; the last stays, as it is the revision. */
async function writeWhole(opened: OpenedIndex): Promise<void> {
  const { blobs, state, revision, wholeAt } = opened;
  if (wholeAt === revision) return;
  const bytes = encodeText(JSON.stringify({ format: formatVersion, ...state.toJSON() }));
  await blobs.add([{ kind: "whole", number: revision, bytes }]);
  opened.wholeAt = revision;
  const first = Math.max(wholeAt, 0);
  await blobs.remove(
    "journal",
    Array.from({ length: revision - first }, (_, i) => first + i),
  );
  if (wholeAt >= 0) await blobs.remove("whole", [wholeAt]);
}

/** Brings the state up to date with the journal. */
async function follow(opened: OpenedIndex): Promise<void> {
  const { blobs } = opened;
  const version = await blobs.readVersion();
  if (version === opened.version) return;
  let entries = await readJournalFrom(blobs, opened.revision + 1);
  if (entries.length > 0 && entries[0]![0] !== opened.revision + 1) {
    const [number, bytes] = (await readSortedFrom(blobs, "whole", 0)).at(-1) ?? [];
    if (bytes === undefined) throw new Damage("its journal has no beginning");
    opened.state = new IndexState(wholeState.parse(decodeContent(bytes)));
    opened.revision = number!;
    opened.wholeAt = number!;
    entries = await readJournalFrom(blobs, opened.revision + 1);
  }
  for (const [number, bytes] of entries) {
    // Another whole state was written meanwhile.
    if (number !== opened.revision + 1) throw new Outdated("entries of the journal are gone");
    opened.state.apply(stateChange.parse(decodeContent(bytes)) as StateChange);
    opened.revision = number;
  }
  opened.version = version;
}

const readJournalFrom = (blobs: BlobStore, first: number) => readSortedFrom(blobs, "journal", first);

async function readSortedFrom(
  blobs: BlobStore,
  kind: "journal" | "whole",
  first: number,
): Promise<[number, Uint8Array][]> {
  const found: [number, Uint8Array][] = [];
  for await (const part of blobs.readFrom(kind, first)) found.push(...part);
  return found.sort(([a], [b]) => a - b);
}

function decodeContent(bytes: Uint8Array): unknown {
  const content: unknown = JSON.parse(decodeText(bytes));
  if (!formatted.safeParse(content).success) throw new Damage("its format is unknown");
  return content;
}

function explain(error: unknown, engine: BlobEngine, file: string): unknown {
  const isDamage =
    error instanceof Damage ||
    error instanceof Outdated ||
    error instanceof SyntaxError ||
    error instanceof z.core.$ZodError;
  return isDamage
    ? describeDamage(engine.describePlace(file), getErrorMessage(error))
    : engine.explain(error, file);
}

export const describeDamage = (place: string, why: string, cause?: unknown) =>
  new PommelError(
    "index_corrupt",
    `The index at ${place} is damaged: ${why}.`,
    "Run `pm daemon reindex` to build it again.",
    { cause },
  );

const makeNoStoredIndexError = (place: string) =>
  new PommelError(
    "not_indexed",
    `There is no index of this checkout at ${place}.`,
    "Run `pm daemon start` or `pm daemon reindex`.",
  );
