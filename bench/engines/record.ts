import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { indexInFull } from "../../src/features/models/evaluate/index-in-full.ts";
import { closeEmbedders, createEmbedders } from "../../src/models/embed/embedders.ts";
import type { IndexedChange } from "../../src/store/index/records.ts";

/** Indexes the code below a directory once, and writes down what the index was given to store: a change after the other. */
export async function recordChanges(root: string, file: string): Promise<void> {
  if (existsSync(file)) return;
  const config = makeDefaultConfig();
  const indexDir = join(root, "..", "recorded");
  mkdirSync(indexDir, { recursive: true });
  const project = { ...makeNewProject(root), indexDb: join(indexDir, "index.db") };
  const embedders = createEmbedders(config, "code");
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  const partial = openSync(`${file}.part`, "w");
  const write = index.write.bind(index);
  index.write = async (changes) => {
    const bytes = serialize(changes.map(stored));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    writeSync(partial, Buffer.concat([length, bytes]));
    await write(changes);
  };
  try {
    const rules = createIgnoreRules(root, config);
    await indexInFull({ project, config, rules, index, embedders, log: silentLog });
  } finally {
    await index.close();
    await closeEmbedders(embedders);
    closeSync(partial);
  }
  renameSync(`${file}.part`, file);
}

/** Without what embedders read. */
function stored(change: IndexedChange): IndexedChange {
  if (change.status !== "indexed") return change;
  const { vectors } = change;
  return {
    ...change,
    chunks: change.chunks.map((chunk) => ({ ...chunk, text: "", docs: [] })),
    ...(vectors && { vectors: { ...vectors, texts: undefined } as never }),
  };
}

/** What was written down, one transaction after the other. */
export function* recordedChanges(file: string): Generator<IndexedChange[], void, undefined> {
  const opened = openSync(file, "r");
  const length = Buffer.alloc(4);
  try {
    while (readSync(opened, length, 0, 4, null) === 4) {
      const bytes = Buffer.alloc(length.readUInt32LE());
      readSync(opened, bytes, 0, bytes.length, null);
      yield deserialize(bytes) as IndexedChange[];
    }
  } finally {
    closeSync(opened);
  }
}

/** Changes as a copy in a folder of its own, with noise in its vectors: its chunks are others, its words the same. */
export function asCopy(
  changes: readonly IndexedChange[],
  copy: number,
  random: () => number,
): IndexedChange[] {
  if (copy === 0) return [...changes];
  const idOf = (id: string) => (copy + Number.parseInt(id[0]!, 16)).toString(16).slice(-1) + id.slice(1);
  const noisy = (vector: Int8Array) =>
    vector.map((component) => Math.max(-127, Math.min(127, component + Math.round(16 * (random() - 0.5)))));
  return changes.map((change) => {
    const path = `copy${copy}/${change.path}`;
    if (change.status !== "indexed") return { ...change, path };
    const { vectors } = change;
    return {
      ...change,
      path,
      chunks: change.chunks.map((chunk) => ({
        ...chunk,
        id: idOf(chunk.id),
        parentId: chunk.parentId && idOf(chunk.parentId),
      })),
      symbols: change.symbols.map((symbol) => ({ ...symbol, chunkId: idOf(symbol.chunkId) })),
      ...(vectors && {
        vectors: { ...vectors, vectors: vectors.vectors.map((vector) => vector && noisy(vector)) },
      }),
    };
  });
}
