export interface Tile<T> {
  of: T;
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Tiles whose areas are as their weights, as square as can be: the squarified treemap of Bruls, Huizing and van Wijk
 * (2000). The heaviest come first, at the top left.
 */
export function treemap<T>(
  items: readonly T[],
  weightOf: (item: T) => number,
  width: number,
  height: number,
): Tile<T>[] {
  const sorted = items
    .map((of) => ({ of, weight: weightOf(of) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const scale = (width * height) / Math.max(total, Number.MIN_VALUE);
  const tiles: Tile<T>[] = [];
  let [x, y, roomX, roomY] = [0, 0, width, height];
  let row: { of: T; area: number }[] = [];

  const place = () => {
    const area = row.reduce((sum, one) => sum + one.area, 0);
    const isColumn = roomX >= roomY;
    const thickness = area / (isColumn ? roomY : roomX);
    let along = 0;
    for (const one of row) {
      const length = one.area / thickness;
      tiles.push(
        isColumn
          ? { of: one.of, x, y: y + along, width: thickness, height: length }
          : { of: one.of, x: x + along, y, width: length, height: thickness },
      );
      along += length;
    }
    if (isColumn) [x, roomX] = [x + thickness, roomX - thickness];
    else [y, roomY] = [y + thickness, roomY - thickness];
    row = [];
  };
  for (const { of, weight } of sorted) {
    const area = weight * scale;
    const side = Math.min(roomX, roomY);
    const areas = row.map((one) => one.area);
    if (row.length > 0 && worst([...areas, area], side) > worst(areas, side)) place();
    row.push({ of, area });
  }
  if (row.length > 0) place();
  return tiles;
}

/** The ratio of the longer to the shorter side of the longest tile in a row along `side`. */
function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((total, area) => total + area, 0);
  return Math.max(
    (side * side * Math.max(...areas)) / (sum * sum),
    (sum * sum) / (side * side * Math.min(...areas)),
  );
}
