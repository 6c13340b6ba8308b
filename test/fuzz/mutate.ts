/** Random changes of texts and JSON values, the same for the same seed. */
export class Mutator {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** mulberry32, by Tommy Ettinger. From 0 up to, but not, 1. */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** A text with one to four spans that are removed, repeated, moved, or replaced by what is hard to read. */
  text(text: string): string {
    let changed = text;
    for (let left = 1 + this.below(4); left > 0; left--) {
      const at = this.below(changed.length + 1);
      const length = this.chance(0.8) ? this.below(8) : this.below(changed.length);
      const span = changed.slice(at, at + length);
      const rest = changed.slice(at + length);
      const other = this.below(changed.length + 1);
      const insert = [
        () => "",
        () => span.repeat(1 + this.below(20)),
        () => span + this.pick(odd),
        () => this.pick(odd) + changed.slice(other, other + this.below(200)),
        () => String.fromCharCode(this.below(0x1_0000)),
      ];
      changed = changed.slice(0, at) + this.pick(insert)() + rest;
      if (this.chance(0.02)) changed = changed.slice(0, at);
    }
    return changed.slice(0, 2_000_000);
  }

  /** A JSON value with another value somewhere in it, one more key, or one less. */
  json(value: unknown): unknown {
    if (typeof value !== "object" || value === null || this.chance(0.15)) return this.value(value);
    if (Array.isArray(value)) {
      const at = this.below(value.length + 1);
      if (this.chance(0.2)) return value.filter((_, i) => i !== at);
      return at === value.length ? [...value, this.value(null)] : value.with(at, this.json(value[at]));
    }
    const entries = Object.entries(value);
    const at = this.below(entries.length + 1);
    const [key, old] = entries[at] ?? [this.pick(keys), this.value(null)];
    // Not by spreading, which would leave out `__proto__`.
    const kept = this.chance(0.15) ? entries.filter((_, i) => i !== at) : entries;
    const copy: Record<string, unknown> = Object.create(null);
    for (const [name, each] of kept) copy[name] = each;
    if (kept === entries) copy[this.chance(0.05) ? this.pick(keys) : key] = this.json(old);
    return copy;
  }

  value(old: unknown): unknown {
    if (typeof old === "string" && this.chance(0.5)) return this.text(old);
    if (this.chance(0.003)) return deep(this.below(3000));
    if (this.chance(0.003)) return "long ".repeat(this.below(100_000));
    return this.pick<unknown>([...odd, ...values]);
  }
}

const odd = [
  "\u0000",
  "\u001b]0;title\u0007\u001b[31m\u001b[2J",
  "\u009b31m",
  "\u202egnp.exe",
  "\ud800",
  "\udfff\ud83d",
  "\u2028",
  "\ufeff",
  "\r\n",
  "\n\n\n",
  "\t",
  '"',
  "\\",
  "'; DROP TABLE sessions; --",
  "$(touch /tmp/ran)",
  "../../../../../../etc/passwd",
  "/dev/zero",
  "%00%2e%2e",
  "{",
  "}]",
  "/*",
  "*/",
  "`",
  "<<EOF\n",
  "\u{1f9d1}\u200d\u{1f4bb}",
  "é".normalize("NFD"),
  "((((((((((",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
  "--help",
  "-1",
  "9".repeat(400),
  "NaN",
];

const values = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  "",
  [],
  {},
  [[]],
  [null],
  { type: "text" },
  { toString: 1, valueOf: null, length: -1 },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
];

const keys = ["__proto__", "constructor", "toString", "length", "type", "id", "", "0", "\u001b[31m"];

function deep(levels: number): unknown {
  let value: unknown = "deep";
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { a: value };
  return value;
}
