import type { DocumentColumn } from "../answers/document.ts";
import { measureWidth, padToWidth, wrapToWidth } from "../base/text/display-width.ts";
import { alignColumns, type Screen } from "./output.ts";

export type { DocumentColumn };

const gap = 2;
/** A wrapping column gets at least this width, as long as an optional column can be left out. */
const comfortable = 28;
const narrowest = 8;

/**
 * Formats a table with its titles for the terminal's width: text wraps at words, and nothing is cut. Columns without any text
 * are left out. In a pipe nothing wraps, so that scripts get one row in each line.
 * @param rows have a painted cell of one line for each column
 */
export function formatTable(
  columns: readonly DocumentColumn[],
  rows: readonly (readonly string[])[],
  screen: Pick<Screen, "columns" | "colors">,
): string {
  const used = columns.flatMap((column, at) =>
    rows.some((row) => (row[at] ?? "") !== "") ? [{ ...column, at }] : [],
  );
  const pickCells = (row: readonly string[], of: readonly { at: number }[]) =>
    of.map(({ at }) => row[at] ?? "");
  const makeTitleRow = (of: readonly DocumentColumn[]) =>
    of.every(({ title }) => title === "") ? [] : [of.map(({ title }) => screen.colors.dim(title))];
  if (screen.columns === undefined) {
    return alignColumns([...makeTitleRow(used), ...rows.map((row) => pickCells(row, used))]);
  }
  const natural = new Map(
    used.map(({ at, title }) => [
      at,
      Math.max(measureWidth(title), ...rows.map((row) => measureWidth(row[at] ?? ""))),
    ]),
  );
  const { shown, widths } = fitColumns(used, natural, screen.columns);
  const line = (cells: readonly string[]) => {
    const parts = cells.map((cell, i) =>
      measureWidth(cell) <= widths[i]! ? [cell] : wrapToWidth(cell, widths[i]!, true),
    );
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, row) =>
      parts
        .map((lines, i) => {
          const text = lines[row] ?? "";
          const blanks = " ".repeat(Math.max(0, widths[i]! - measureWidth(text)));
          if (shown[i]!.isNumber) return blanks + text;
          return i === parts.length - 1 ? text : padToWidth(text, widths[i]!);
        })
        .join(" ".repeat(gap))
        .trimEnd(),
    ).join("\n");
  };
  return [...makeTitleRow(shown), ...rows.map((row) => pickCells(row, shown))].map(line).join("\n");
}

interface PlacedColumn extends DocumentColumn {
  at: number;
}

/** Leaves out optional columns until the wrapping ones have room, and shares the room among these. */
function fitColumns(
  columns: readonly PlacedColumn[],
  natural: ReadonlyMap<number, number>,
  available: number,
): { shown: readonly PlacedColumn[]; widths: number[] } {
  const widthOfAll = columns.reduce((sum, { at }) => sum + natural.get(at)! + gap, -gap);
  const wrapping = columns.filter(({ wraps }) => wraps);
  const excess = widthOfAll - available;
  const widths = new Map(natural);
  if (excess > 0) {
    const most = wrapping.reduce((sum, { at }) => sum + natural.get(at)!, 0);
    const room = most - excess;
    const needed = wrapping.reduce((sum, { at }) => sum + Math.min(natural.get(at)!, comfortable), 0);
    const leastWanted = columns.reduce<PlacedColumn | null>(
      (worst, column) => ((column.optional ?? 0) > (worst?.optional ?? 0) ? column : worst),
      null,
    );
    if (room < needed && leastWanted !== null) {
      return fitColumns(
        columns.filter((column) => column !== leastWanted),
        natural,
        available,
      );
    }
    // A column that needs less than an equal share keeps its natural width.
    let [left, count] = [room, wrapping.length];
    for (const { at } of [...wrapping].sort((a, b) => natural.get(a.at)! - natural.get(b.at)!)) {
      const width = Math.max(Math.min(natural.get(at)!, Math.floor(left / count)), narrowest);
      widths.set(at, width);
      left -= width;
      count--;
    }
  }
  return { shown: columns, widths: columns.map(({ at }) => widths.get(at)!) };
}
