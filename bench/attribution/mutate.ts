import { identifier, languageOf, newIdentifier } from "./code.ts";
import { type Line, newLine, newLines, type Owner } from "./lines.ts";
import type { Random } from "./random.ts";

/** Typical changes of a file, with the writers of every line afterwards. */

export const indentOf = (text: string) => /^\s*/.exec(text)![0];

const isNotebook = (path: string) => path.endsWith(".ipynb");

/** Where something may be put at the top level. */
function gap(random: Random, lines: readonly Line[], path: string): number {
  const isTop = (line: Line) => /^\S/.test(line.text) && !/^[})\]]/.test(line.text);
  if (/\.(json)$/.test(path)) {
    const ends = lines.flatMap(({ text }, i) => (/^ {2}\}/.test(text) ? [i + 1] : []));
    return ends.length > 0 ? random.pick(ends) : Math.min(1, lines.length);
  }
  const gaps = lines.flatMap((line, i) => (i > 0 && lines[i - 1]!.text === "" && isTop(line) ? [i] : []));
  return gaps.length > 0 && random.chance(0.7) ? random.pick(gaps) : lines.length;
}

export function insertPiece(
  random: Random,
  path: string,
  lines: readonly Line[],
  owner: Owner,
  via: string,
): Line[] {
  const language = languageOf(path);
  const at = gap(random, lines, path);
  const piece = language.piece(random);
  const texts = at === lines.length ? [...language.separator, ...piece] : [...piece, ...language.separator];
  return lines.toSpliced(at, 0, ...newLines(texts, owner, via));
}

export function insertStatements(
  random: Random,
  path: string,
  lines: readonly Line[],
  owner: Owner,
  via: string,
  most: number,
): Line[] {
  const language = languageOf(path);
  const inside = lines.flatMap(({ text }, i) => (/^\s+\S/.test(text) ? [i] : []));
  const at = inside.length > 0 ? random.pick(inside) : lines.length;
  const indent = indentOf(lines[at]?.text ?? "");
  const texts: string[] = [];
  for (let i = random.int(1, most); i > 0; i--) texts.push(...language.statements(random));
  const made = texts.map((text) => (text === "" ? "" : indent + text));
  return lines.toSpliced(at, 0, ...newLines(made, owner, via));
}

/** Another word in some lines. */
export function changeLines(
  random: Random,
  lines: readonly Line[],
  owner: Owner,
  via: string,
  most: number,
): Line[] {
  const worth = lines.flatMap(({ text }, i) => (/\w{4,}/.test(text) ? [i] : []));
  if (worth.length === 0) return [...lines];
  const start = random.int(0, worth.length - 1);
  const chosen = random.chance(0.6)
    ? worth.slice(start, start + random.int(1, most))
    : random.shuffled(worth).slice(0, random.int(1, most));
  const changed = [...lines];
  for (const at of chosen) {
    const { text } = changed[at]!;
    const found = [...text.matchAll(/[A-Za-z_]{4,}/g)];
    const word = random.pick(found.length > 0 ? found : [...text.matchAll(/\w{4,}/g)]);
    const other = random.chance(0.5) ? identifier(random) : newIdentifier(random);
    const now = text.slice(0, word.index) + other + text.slice(word.index + word[0].length);
    if (now !== text) changed[at] = newLine(now, owner, via);
  }
  return changed;
}

export function removeLines(random: Random, lines: readonly Line[], most: number): Line[] {
  if (lines.length < 8) return [...lines];
  const count = random.int(1, most);
  return lines.toSpliced(random.int(1, lines.length - count - 1), count);
}

/** Some lines get a condition around them: new lines before and after, white space for the rest. */
export function wrapLines(
  random: Random,
  path: string,
  lines: readonly Line[],
  owner: Owner,
  via: string,
): Line[] {
  const [open, close] = /\.py$/.test(path)
    ? ["if X:", null]
    : /\.go$/.test(path)
      ? ["if X {", "}"]
      : ["if (X) {", "}"];
  const inside = lines.flatMap(({ text }, i) => (/^\s+\w.*;?$/.test(text) ? [i] : []));
  if (inside.length === 0 || !/\.(ts|go|py|java)$/.test(path))
    return insertPiece(random, path, lines, owner, via);
  const at = random.pick(inside);
  const count = random.int(1, Math.min(5, lines.length - at));
  const indent = indentOf(lines[at]!.text);
  const step = indent.startsWith("\t") ? "\t" : "  ";
  const wrapped = lines
    .slice(at, at + count)
    .map((line) => (line.text === "" ? line : { ...line, text: step + line.text }));
  return lines.toSpliced(
    at,
    count,
    newLine(`${indent}${open!.replace("X", newIdentifier(random))}`, owner, via),
    ...wrapped,
    ...(close === null ? [] : [newLine(indent + close, owner, via)]),
  );
}

export function insertCommon(
  random: Random,
  path: string,
  lines: readonly Line[],
  owner: Owner,
  via: string,
): Line[] {
  const at = random.int(0, lines.length);
  const texts = Array.from({ length: random.int(1, 2) }, () => random.pick(["", ...languageOf(path).common]));
  const indent = indentOf(lines[at]?.text ?? "");
  return lines.toSpliced(
    at,
    0,
    ...newLines(
      texts.map((text) => (text === "" ? "" : indent + text)),
      owner,
      via,
    ),
  );
}

/** The place of a block, if there is one. */
export function blockIn(
  random: Random,
  lines: readonly Line[],
  from: number,
  to: number,
): [number, number] | null {
  if (lines.length < from + 4) return null;
  const count = random.int(from, Math.min(to, lines.length - 3));
  const at = random.int(1, lines.length - count);
  return [at, at + count];
}

export const isWritable = (path: string) =>
  !isNotebook(path) && !/(?:lock(?:\.\w+)?|\.sum|\.toml|go\.mod|package\.json)$/.test(path);
