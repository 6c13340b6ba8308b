import { createHash } from "node:crypto";
import type { Embeddable, EmbedSource } from "../../models/embed/embed-pass.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { IndexedFile } from "../../store/index/records.ts";

/** Names a text: 32 hex digits. */
const textKey = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

interface EmbeddableFile extends Embeddable {
  file: IndexedFile;
}

/**
 * The files of a code index that lack vectors.
 * @param read the chunks of a file with their texts; null when unavailable. May be slow
 */
export function filesToEmbed(
  index: CodeIndex,
  read: (path: string) => Promise<IndexedFile | null>,
): EmbedSource<string, EmbeddableFile> {
  return {
    batchSize: 64,
    async missing(model) {
      // Missing vectors depend on the dimensions, which only the server may know.
      if (model.dimensions === 0) await model.prepare();
      return index.withoutVectors({ model: model.id, dimensions: model.dimensions });
    },
    async read(path) {
      const file = await read(path);
      return file && { file, texts: file.chunks.map(({ text }) => text), chunks: file.chunks.length };
    },
    async known(space, texts) {
      const byKey = new Map([...texts].map((text) => [textKey(text), text]));
      const former = (await index.formerVectors?.(space, new Set(byKey.keys()))) ?? [];
      return new Map([...former].map(([key, vector]) => [byKey.get(key)!, vector]));
    },
    async store(space, embedded) {
      for (const { item, vectors } of embedded) {
        await index.addVectors(item.file, { ...space, vectors, texts: item.texts.map(textKey) });
      }
    },
    keepModels: (models) => index.keepModels(models),
  };
}
