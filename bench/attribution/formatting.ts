import { type Line, newLine } from "./lines.ts";
import type { Random } from "./random.ts";

/** What an editor or a formatter does on save. The writers of lines stay who they were. */
export type Formatter = (lines: readonly Line[], random: Random) => Line[];

const retext = (line: Line, text: string, via: string): Line =>
  text === line.text ? line : { ...line, text, via };
const each =
  (via: string, change: (text: string) => string): Formatter =>
  (lines) =>
    lines.map((line) => retext(line, change(line.text), via));

const widen: Formatter = each("indentation", (text) => text.replace(/^( {2})+/, (all) => all + all));
const tabs: Formatter = each("indentation", (text) =>
  text.replace(/^( {2})+/, (all) => "\t".repeat(all.length / 2)),
);
const spaces: Formatter = each("indentation", (text) =>
  text.replace(/^\t+/, (all) => "    ".repeat(all.length)),
);
const singleQuotes: Formatter = each("quotes", (text) => text.replace(/"([^"'\\]*)"/g, "'$1'"));
const doubleQuotes: Formatter = each("quotes", (text) => text.replace(/'([^"'\\]*)'/g, '"$1"'));
const noSemicolons: Formatter = each("semicolons", (text) => text.replace(/;$/, ""));
const innerSpaces: Formatter = each("spacing", (text) => text.replace(/\{ (.*) \}/, "{$1}"));

/** A call that is too long becomes several lines, each with the same writer. */
const splitCalls: Formatter = (lines, random) =>
  lines.flatMap((line) => {
    const [, indent, head, inner, tail] = /^(\s*)([^()]*\()([^()]*,[^()]*)(\)[;:{ ]*)$/.exec(line.text) ?? [];
    if (inner === undefined || line.text.length < 50 || random.chance(0.3)) return [line];
    const parts = inner.split(", ").map((part) => `${indent}    ${part},`);
    const made = [`${indent}${head}`, ...parts, `${indent}${tail}`];
    return made.map((text) => ({
      ...newLine(text, line.owner, "split"),
      ...(line.isMixed && { isMixed: true as const }),
    }));
  });

/** The reverse of it. */
const joinCalls: Formatter = (lines) => {
  const made: Line[] = [];
  for (let i = 0; i < lines.length; i++) {
    let end = i;
    if (/[\w]\($/.test(lines[i]!.text)) {
      end = i + 1;
      while (end < lines.length && /^\s*[\w: "'.-]+,$/.test(lines[end]!.text)) end++;
      if (end === i + 1 || !/^\s*\)/.test(lines[end]?.text ?? "")) end = i;
    }
    if (end === i) {
      made.push(lines[i]!);
      continue;
    }
    const joined = lines.slice(i, end + 1);
    const inner = joined.slice(1, -1).map(({ text }) => text.trim());
    const text = `${joined[0]!.text}${inner.join(" ").replace(/,$/, "")}${joined.at(-1)!.text.trim()}`;
    const isMixed = joined.some(({ owner, isMixed }) => isMixed || owner !== joined[0]!.owner);
    made.push({ ...newLine(text, joined[0]!.owner, "join"), ...(isMixed && { isMixed: true as const }) });
    i = end;
  }
  return made;
};

const byExtension: Readonly<Record<string, Formatter[]>> = {
  ts: [widen, tabs, spaces, singleQuotes, doubleQuotes, noSemicolons, innerSpaces, splitCalls, joinCalls],
  java: [widen, tabs, spaces, splitCalls, joinCalls],
  go: [spaces, splitCalls, joinCalls],
  py: [widen, singleQuotes, doubleQuotes, splitCalls, joinCalls],
  json: [widen, tabs, spaces],
  yaml: [singleQuotes, doubleQuotes],
};

/** One of the formatters of a language; null if it has none. */
export function formatterOf(path: string, random: Random): Formatter | null {
  const formatters = byExtension[path.split(".").at(-1)!];
  return formatters ? random.pick(formatters) : null;
}
