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
export function layOutTreemap<T>(
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
    if (row.length > 0 && computeWorstRatio([...areas, area], side) > computeWorstRatio(areas, side)) place();
    row.push({ of, area });
  }
  if (row.length > 0) place();
  return tiles;
}

/** The ratio of the longer to the shorter side of the longest tile in a row along `side`. */
function computeWorstRatio(areas: readonly number[], side: number): number {
  const sum = areas.reduce((total, area) => total + area, 0);
  return Math.max(
    (side * side * Math.max(...areas)) / (sum * sum),
    (sum * sum) / (side * side * Math.min(...areas)),
  );
}

const width = 720;

interface Part {
  name: string;
  colour: string;
}

interface StackProps {
  label: string;
  parts: readonly Part[];
  /** From left to right, each with a value for each part, and where what it counts is listed. */
  points: readonly { name: string; values: readonly number[]; href?: string | undefined }[];
}

/** What a point says when one points at it. */
const describePoint = ({ name, values }: StackProps["points"][number], parts: readonly Part[]) =>
  `${name}: ${parts.map((part, i) => `${part.name} ${(values[i] ?? 0).toLocaleString("en")}`).join(", ")}`;

/** A drawing with links in it is more than a picture. */
const chooseRole = (points: StackProps["points"]) => (points.some(({ href }) => href) ? "group" : "img");

const height = 200;
const left = 52;
const bottom = 22;

/** Values that add up, over time. */
export function Stack({ label, parts, points }: StackProps) {
  const sums = points.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = roundUpTop(Math.max(1, ...sums));
  const toX = (i: number) => left + (points.length < 2 ? 0 : (i / (points.length - 1)) * (width - left - 8));
  const toY = (value: number) => 8 + (1 - value / top) * (height - bottom - 8);
  let below = points.map(() => 0);
  const areas = parts.map((part, at) => {
    const above = points.map(({ values }, i) => below[i]! + (values[at] ?? 0));
    const line = [
      ...above.map((value, i) => `${toX(i)},${toY(value)}`),
      ...below.map((value, i) => `${toX(i)},${toY(value)}`).reverse(),
    ];
    below = above;
    return { part, path: `M${line.join("L")}Z` };
  });
  const every = Math.max(1, Math.ceil(points.length / 7));
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role={chooseRole(points)} aria-label={label}>
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line x1={left} x2={width} y1={toY(value)} y2={toY(value)} class="grid" />
          <text x={left - 6} y={toY(value) + 4} text-anchor="end">
            {formatShort(value)}
          </text>
        </g>
      ))}
      {areas.map(({ part, path }) => (
        <path key={part.name} d={path} style={{ fill: part.colour }} />
      ))}
      {points.map((point, i) => {
        const says = describePoint(point, parts);
        const step = (width - left - 8) / Math.max(1, points.length - 1);
        const column = (
          <rect x={toX(i) - step / 2} y="8" width={step} height={height - bottom - 8} class="column">
            <title>{says}</title>
          </rect>
        );
        return point.href === undefined ? (
          column
        ) : (
          <a key={point.name} href={point.href} aria-label={says}>
            {column}
          </a>
        );
      })}
      {points.map(
        ({ name }, i) =>
          i % every === 0 && (
            <text
              key={name}
              x={toX(i)}
              y={height - 6}
              text-anchor={i === 0 ? "start" : toX(i) > width - 40 ? "end" : "middle"}
            >
              {name}
            </text>
          ),
      )}
    </svg>
  );
}

const roundUpTop = (value: number) => {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * size).find((top) => top >= value) ?? value;
};

const formatShort = (value: number) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 }).format(value);

interface TilesProps {
  label: string;
  items: readonly {
    name: string;
    href: string;
    weight: number /** 0 to 1. */;
    share: number;
    says: string;
  }[];
}

/** Tiles as large as their weights, coloured by a share. */
export function Tiles({ label, items }: TilesProps) {
  const size = { width, height: 340 };
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing else groups links inside a drawing
    <svg viewBox={`0 0 ${size.width} ${size.height}`} role="group" aria-label={label}>
      {layOutTreemap(items, ({ weight }) => weight, size.width, size.height).map(({ of, x, y, ...tile }) => (
        <a key={of.name} href={of.href} aria-label={of.says}>
          <rect
            x={x + 1}
            y={y + 1}
            width={Math.max(0, tile.width - 2)}
            height={Math.max(0, tile.height - 2)}
            rx="3"
            style={{ fill: `color-mix(in oklab, var(--agent) ${Math.round(of.share * 100)}%, var(--tile))` }}
          >
            <title>{of.says}</title>
          </rect>
          {tile.height > 20 && (
            <text x={x + 8} y={y + 18} class={of.share > 0.45 ? "on-agent" : undefined}>
              {[of.name, basename(of.name)].find(({ length }) => tile.width > length * 6.6 + 12)}
            </text>
          )}
        </a>
      ))}
    </svg>
  );
}

const basename = (path: string) => path.slice(path.lastIndexOf("/") + 1);

const rowHeight = 34;

/** A bar for each row, of parts side by side, with their numbers where there is room. */
export function Bars({ label, parts, points: rows }: StackProps) {
  const names = 190;
  const longest = Math.max(1, ...rows.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const unit = (width - names - 8) / longest;
  return (
    <svg viewBox={`0 0 ${width} ${rows.length * rowHeight + 4}`} role={chooseRole(rows)} aria-label={label}>
      {rows.map(({ name, values, href }, row) => {
        let x = names;
        const named = (
          <text x={names - 10} y={row * rowHeight + 21} text-anchor="end">
            {name.length > 26 ? `${name.slice(0, 25)}…` : name}
            <title>{name}</title>
          </text>
        );
        return (
          <g key={name}>
            {href === undefined ? named : <a href={href}>{named}</a>}
            {values.map((value, i) => {
              const { name: part, colour } = parts[i]!;
              const length = value * unit;
              x += length;
              return (
                value > 0 && (
                  <g key={part}>
                    <rect
                      x={x - length}
                      y={row * rowHeight + 4}
                      width={Math.max(1, length - 2)}
                      height={rowHeight - 8}
                      rx="3"
                      style={{ fill: colour }}
                    >
                      <title>{`${name}, ${part}: ${value.toLocaleString("en")}`}</title>
                    </rect>
                    {length > 30 && (
                      <text x={x - length + 8} y={row * rowHeight + 21} class="on-part">
                        {formatShort(value)}
                      </text>
                    )}
                  </g>
                )
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}
