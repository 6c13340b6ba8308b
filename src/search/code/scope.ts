import picomatch from "picomatch";
import type { CodeIndex } from "../../store/index/code-index.ts";

/** The indexed files that a search is limited to; empty lists limit nothing. */
export function filesIn(
  index: CodeIndex,
  { paths, languages }: { paths: readonly string[]; languages: readonly string[] },
): { id: number; path: string; language: string }[] {
  const matches = paths.length > 0 ? picomatch([...paths], { dot: true }) : () => true;
  const wanted = new Set(languages);
  return index
    .filePaths()
    .filter((file) => matches(file.path) && (wanted.size === 0 || wanted.has(file.language)));
}
