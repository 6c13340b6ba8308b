import picomatch from "picomatch";
import type { IndexEntry, SearchableIndex } from "../../store/index/port.ts";

/** The indexed files that a search is limited to; empty lists limit nothing. */
export async function filesIn(
  index: SearchableIndex,
  { paths, languages }: { paths: readonly string[]; languages: readonly string[] },
): Promise<IndexEntry[]> {
  const matches = paths.length > 0 ? picomatch([...paths], { dot: true }) : () => true;
  const wanted = new Set(languages);
  return (await index.files()).filter(
    (file) => matches(file.path) && (wanted.size === 0 || wanted.has(file.language)),
  );
}
