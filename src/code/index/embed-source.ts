import { createHash } from "node:crypto";
import type { Embeddable, EmbedSource } from "../../models/embed/embed-pass.ts";
import { hashPlace, IndexCache } from "../../store/index/index-cache.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { IndexedFile } from "../../store/index/records.ts";

/** Names a text: 32 hex digits. */
const makeTextKey = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

const makeVectorCachePlace = ({ model, dimensions }: { model: string; dimensions: number }) =>
  hashPlace("vectors", model, dimensions);

interface EmbeddableFile extends Embeddable {
  file: IndexedFile;
}

/**
 * The files of a code index that lack vectors.
 * @param read the chunks of a file with their texts; null when unavailable. May be slow
 * @param cache where vectors of texts are kept, for other checkouts and for the next version of a file
 */
export function createFileEmbedSource(
  index: CodeIndex,
  read: (path: string) => Promise<IndexedFile | null>,
  cache = new IndexCache(),
): EmbedSource<string, EmbeddableFile> {
  return {
    batchSize: 64,
    async missing(model) {
      // Missing vectors depend on the dimensions, which only the server may know.
      if (model.dimensions === 0) await model.prepare();
      return index.listPathsWithoutVectors({ model: model.id, dimensions: model.dimensions });
    },
    async read(path) {
      const file = await read(path);
      return file && { file, texts: file.chunks.map(({ text }) => text), chunks: file.chunks.length };
    },
    async known(space, texts) {
      const byKey = new Map([...texts].map((text) => [makeTextKey(text), text]));
      const found = cache.get(makeVectorCachePlace(space), byKey.keys());
      // One that was cut short is made anew.
      const whole = [...found].filter(([, data]) => data.length === space.dimensions);
      return new Map(whole.map(([key, data]) => [byKey.get(key)!, Int8Array.from(new Int8Array(data))]));
    },
    async store(space, embedded) {
      for (const { item, vectors } of embedded) await index.addVectors(item.file, { ...space, vectors });
      const place = makeVectorCachePlace(space);
      cache.add(
        embedded.flatMap(({ item, vectors }) =>
          // What had none may get one when it is asked for again.
          vectors.flatMap((vector, i) =>
            vector === null ? [] : { place, name: makeTextKey(item.texts[i]!), data: new Uint8Array(vector) },
          ),
        ),
      );
    },
    keepModels: (models) => index.keepModels(models),
  };
}
