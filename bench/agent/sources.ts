/** A repository's files in memory, with the answers of grep. Lines count from 1. */
export interface Sources {
  /** Paths from the root, in order. */
  paths: readonly string[];
  /** The lines of a file, from index 0. */
  linesOf: (path: string) => readonly string[];
  /** Files that hold a text, whatever its case, in the order of their paths. */
  filesWith: (text: string) => readonly string[];
  /** Lines of a file that contain any of the texts, ignoring case. */
  matchesIn: (path: string, texts: readonly string[]) => number[];
  /** Lines that look like the definition of a name. */
  definitionsOf: (name: string) => { file: string; line: number }[];
}

/** Words that definitions begin with in one language or another. */
const definers =
  "class|def|func|fn|fun|function|struct|interface|trait|type|enum|union|object|module|defmodule|defmacro|record|const|let|var|val|namespace|define|typedef";

/** @param files text by path */
export function createSources(files: ReadonlyMap<string, string>): Sources {
  const paths = [...files.keys()].sort();
  const lines = new Map(paths.map((path) => [path, splitLines(files.get(path)!)]));
  const lower = new Map(paths.map((path) => [path, files.get(path)!.toLowerCase()]));
  const found = new Map<string, readonly string[]>();
  const linesOf = (path: string) => lines.get(path) ?? [];
  const numbersIn = (path: string, has: (line: string) => boolean) =>
    linesOf(path).flatMap((line, at) => (has(line) ? [at + 1] : []));
  return {
    paths,
    linesOf,
    filesWith(text) {
      const known = found.get(text) ?? paths.filter((path) => lower.get(path)!.includes(text));
      found.set(text, known);
      return known;
    },
    matchesIn: (path, texts) =>
      numbersIn(path, (line) => texts.some((text) => line.toLowerCase().includes(text))),
    definitionsOf(name) {
      const escaped = name.replace(/\$/g, "\\$&");
      const pattern = new RegExp(`\\b(?:${definers})\\b.{0,40}?(?<![\\w$])${escaped}(?![\\w$])`);
      return paths
        .filter((path) => files.get(path)!.includes(name))
        .flatMap((file) => numbersIn(file, (line) => pattern.test(line)).map((line) => ({ file, line })));
    },
  };
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
