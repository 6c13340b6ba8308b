/** What a number of the settings counts. */
const units = {
  bytes: { B: 1, kB: 1000, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1_048_576, GiB: 1_073_741_824 },
  milliseconds: { ms: 1, s: 1000 },
  days: { days: 1, weeks: 7 },
  tokens: { tokens: 1, k: 1000, M: 1e6 },
} as const;

export type Unit = keyof typeof units;

export const unitNames = Object.keys(units) as Unit[];

/** What is written after a number that is no multiple of a larger unit. */
const smallest = { bytes: "B", milliseconds: "ms", days: "days", tokens: "tokens" } as const satisfies Record<
  Unit,
  string
>;

/** `1048576` bytes as "1 MiB", `250` milliseconds as "250 ms": exactly that number, as `parseWithUnit` reads it. */
export function formatWithUnit(value: number, unit: Unit): string {
  // Only bytes are round numbers of larger units for a reason.
  const larger = Object.entries(units.bytes).filter(
    ([, size]) => unit === "bytes" && size > 1 && value >= size && value % size === 0,
  );
  const [name, size] = larger.sort(([, a], [, b]) => b - a)[0] ?? [smallest[unit], 1];
  const count = value / size;
  return `${count.toLocaleString("en")} ${count === 1 ? withoutPlural(name) : name}`;
}

const withoutPlural = (name: string) => (name.length > 2 ? name.replace(/s$/, "") : name);

/** Reads "1 MiB", "1.5MB", "2 s", "1 week" or "1,000 tokens", whatever the case of its letters; null: it is none of them. */
export function parseWithUnit(text: string, unit: Unit): number | null {
  const [, number = "", given = ""] = /^([\d.,_]+) *([a-z]+)$/i.exec(text.trim()) ?? [];
  const normal = (name: string) => withoutPlural(name.toLowerCase());
  const found = Object.entries(units[unit]).find(([name]) => normal(name) === normal(given));
  const value = Number(number.replaceAll(/[,_]/g, "")) * (found?.[1] ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : null;
}

export const listUnits = (unit: Unit): string => Object.keys(units[unit]).join(", ");
