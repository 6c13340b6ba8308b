import { makeTokenStream, nameKey } from "../../base/text/tokens.ts";
import type { IndexCounts, StoredChunk } from "./port.ts";
import type { IndexedFile, SkipReason, SymbolRecord, Terms } from "./records.ts";
import type { SegmentBuilder } from "./words/segment.ts";

/** A chunk as engines store it, beside the file that it is of. */
export interface ChunkRow
  extends Omit<StoredChunk, "id" | "file" | "path" | "size" | "mtimeMs" | "language"> {
  id: number;
}

/** A symbol, and the chunk that holds it. */
export interface SymbolRow extends Omit<SymbolRecord, "chunkId"> {
  /** As `nameKey` makes it of `name`. */
  key: string;
  chunk: number;
}

/** What is stored of a file's chunks. Their words go into a segment, which gives them their ids, one after the other. */
export function buildChunkRows(
  file: IndexedFile,
  words: SegmentBuilder,
): { chunks: ChunkRow[]; symbols: SymbolRow[] } {
  const numbers = words.numberWords(file.words ?? []);
  const path = words.numberWords(makeTokenStream(file.path).split(" "));
  const nameOf = new Map(file.chunks.map((chunk) => [chunk.id, chunk.name]));
  const namesOf = new Map<string, Set<string>>(file.chunks.map((chunk) => [chunk.id, new Set()]));
  const keys = file.symbols.map(({ name }) => nameKey(name));
  for (const [i, { chunkId }] of file.symbols.entries()) namesOf.get(chunkId)?.add(keys[i]!);
  const rowOf = new Map<string, number>();
  const chunks = file.chunks.map((chunk): ChunkRow => {
    const { id: uid, parentId: parentUid, level, kind, name, signature, startLine, endLine } = chunk;
    const { fingerprint = 0 } = chunk;
    const id = words.next;
    rowOf.set(uid, id);
    const of = (terms: Terms) => words.renumberTerms(terms, numbers);
    const { name: ownName, head, body } = chunk.terms;
    words.add(level, [of(ownName), path, of(head), of(body)], namesOf.get(uid)!);
    const parentName = parentUid && (nameOf.get(parentUid) ?? null);
    return {
      id,
      uid,
      parentUid,
      parentName,
      level,
      kind,
      name,
      signature,
      startLine,
      endLine,
      fingerprint,
      built: Number(file.isBuilt ?? false),
    };
  });
  const symbols = file.symbols.flatMap(({ name, kind, line, chunkId }, i) => {
    const chunk = rowOf.get(chunkId);
    return chunk === undefined ? [] : [{ key: keys[i]!, name, kind, line, chunk }];
  });
  return { chunks, symbols };
}

/** The files of a language, or those that were skipped for a reason. */
export interface FileTotals {
  language: string;
  /** null: they are indexed. */
  reason: SkipReason | null;
  files: number;
  chunks: number;
  /** How many of the files have a part that their grammar could not read. */
  syntaxErrors: number;
}

/** What an index holds, from the totals that its engine gives. @param termBytes the size of the stored terms */
export function sumIndexCounts(totals: readonly FileTotals[], termBytes: number): IndexCounts {
  const counts: IndexCounts = {
    files: 0,
    chunks: 0,
    skipped: 0,
    languages: {},
    skippedByReason: {},
    syntaxErrors: 0,
    termBytes,
  };
  for (const { language, reason, files, chunks, syntaxErrors } of totals) {
    if (reason === null) {
      counts.syntaxErrors += syntaxErrors;
      counts.files += files;
      counts.chunks += chunks;
      counts.languages[language] = { files, chunks };
    } else {
      counts.skipped += files;
      counts.skippedByReason[reason] = files;
    }
  }
  return counts;
}
