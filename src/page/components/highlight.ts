import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { classHighlighter, highlightCode } from "@lezer/highlight";

export type Parser = NonNullable<LanguageDescription["support"]>["language"]["parser"];

/** A piece of a line in one colour. */
export interface ColouredPiece {
  text: string;
  style: string;
}

/** The parser for a file's language, or for a language by its name; null where none is known. */
export async function loadParser(of: { path: string } | { language: string }): Promise<Parser | null> {
  const found =
    "path" in of
      ? LanguageDescription.matchFilename(languages, of.path)
      : LanguageDescription.matchLanguageName(languages, of.language, false);
  // Without colours it can be read all the same.
  const support = await found?.load().catch(() => null);
  return support?.language.parser ?? null;
}

/** The pieces of lines that follow each other. */
export function highlightPieces(lines: readonly string[], parser: Parser | null): ColouredPiece[][] {
  if (parser === null) return lines.map((text) => [{ text, style: "" }]);
  const code = lines.join("\n");
  const pieces: ColouredPiece[][] = [[]];
  highlightCode(
    code,
    parser.parse(code),
    classHighlighter,
    (text, style) => pieces.at(-1)!.push({ text, style }),
    () => pieces.push([]),
  );
  return pieces;
}
