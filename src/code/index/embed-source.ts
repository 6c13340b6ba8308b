import type { Embeddable, EmbedSource } from "../../models/embed/embed-pass.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { IndexedFile } from "../../store/index/records.ts";

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
    async store(space, embedded) {
      for (const { item, vectors } of embedded) await index.addVectors(item.file, { ...space, vectors });
    },
    keepModels: (models) => index.keepModels(models),
  };
}
