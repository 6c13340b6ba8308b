import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { useEffect, useState } from "preact/hooks";
import type { Stretch } from "./segments.ts";

type Parser = NonNullable<LanguageDescription["support"]>["language"]["parser"];

/** A piece of a line in one colour. */
export interface Piece {
  text: string;
  style: string;
}

/** The parser for a file's language; null until it is loaded, and where none is known. */
export function useParser(path: string): Parser | null {
  const [parser, setParser] = useState<Parser | null>(null);
  useEffect(() => {
    let isWanted = true;
    LanguageDescription.matchFilename(languages, path)
      ?.load()
      .then(({ language }) => isWanted && setParser(language.parser))
      // Without colours it can be read all the same.
      .catch(() => {});
    return () => {
      isWanted = false;
    };
  }, [path]);
  return parser;
}

/** The pieces of lines that follow each other. */
export function piecesOf(lines: readonly string[], parser: Parser | null): Piece[][] {
  if (parser === null) return lines.map((text) => [{ text, style: "" }]);
  const code = lines.join("\n");
  const pieces: Piece[][] = [[]];
  highlightCode(
    code,
    parser.parse(code),
    classHighlighter,
    (text, style) => pieces.at(-1)!.push({ text, style }),
    () => pieces.push([]),
  );
  return pieces;
}

/** Divides pieces where a stretch begins or ends, and marks what lies in one. */
export function withStretches(
  pieces: readonly Piece[],
  stretches: readonly Stretch[],
): (Piece & { isChanged: boolean })[] {
  if (stretches.length === 0) return pieces.map((piece) => ({ ...piece, isChanged: false }));
  const edges = [...new Set(stretches.flat())].sort((a, b) => a - b);
  let at = 0;
  return pieces.flatMap(({ text, style }) => {
    const end = at + text.length;
    const cuts = [at, ...edges.filter((edge) => edge > at && edge < end), end];
    const parts = cuts.slice(1).map((to, i) => {
      const from = cuts[i]!;
      return {
        text: text.slice(from - at, to - at),
        style,
        isChanged: stretches.some(([start, stop]) => from >= start && to <= stop),
      };
    });
    at = end;
    return parts;
  });
}
