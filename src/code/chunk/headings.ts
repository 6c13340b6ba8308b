interface Heading {
  /** 1 to 6. */
  depth: number;
  title: string;
  /** 1-based. */
  line: number;
}

const atx = /^ {0,3}(#{1,6})([ \t].*)?$/;

const setext = /^ {0,3}(=+|-+)[ \t]*$/;

const fence = /^[ \t]*(?:[-*+>][ \t]+)*(`{3,}|~{3,})(.*)$/;

/** The starts that exclude a line from a paragraph; only paragraphs can be underlined. */
const notParagraph = /^(?: {0,3}(?:[-*+>|]|\d+[.)])(?:\s|$)| {0,3}>| {4}|\t)/;

/** The headings of a Markdown text, except in code and front matter. Scans lines: see CommonMark 0.31, 4. */
export function parseHeadings(text: string): Heading[] {
  const headings: Heading[] = [];
  const rows = text.split("\n").map((row) => row.replace(/\r$/, ""));
  let closing: RegExp | null = null;
  /** The line before, if it can be underlined to be a heading. */
  let paragraph = "";
  for (let i = endOfFrontMatter(rows); i < rows.length; i++) {
    const row = rows[i]!;
    if (closing !== null) {
      if (closing.test(row)) closing = null;
      continue;
    }
    const opening = fence.exec(row);
    if (opening && !(opening[1]!.startsWith("`") && opening[2]!.includes("`"))) {
      closing = new RegExp(`^[ \\t>]*${opening[1]![0]}{${opening[1]!.length},}[ \\t]*$`);
      paragraph = "";
      continue;
    }
    const hashes = atx.exec(row);
    if (hashes) {
      headings.push({
        depth: hashes[1]!.length,
        title: stripTitleMarkup((hashes[2] ?? "").trim().replace(/(?:^|[ \t])#+$/, "")),
        line: i + 1,
      });
      paragraph = "";
      continue;
    }
    const underline = setext.exec(row);
    if (underline && paragraph !== "") {
      headings.push({
        depth: underline[1]!.startsWith("=") ? 1 : 2,
        title: stripTitleMarkup(paragraph),
        line: i,
      });
      paragraph = "";
      continue;
    }
    paragraph = notParagraph.test(row) ? "" : row.trim();
  }
  return headings;
}

/** `---` or `+++` on the first line up to the same again. */
function endOfFrontMatter(rows: string[]): number {
  const mark = rows[0]?.trimEnd();
  if (mark !== "---" && mark !== "+++") return 0;
  const end = rows.findIndex((row, i) => i > 0 && row.trimEnd() === mark);
  return end < 0 ? 0 : end + 1;
}

/** A title without emphasis, code marks and link targets. */
function stripTitleMarkup(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]+|\{#[^}]*\}/g, "")
    .trim()
    .slice(0, 200);
}
