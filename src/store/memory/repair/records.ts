import type { Pages } from "./pages.ts";

/** Rows as they lie on the pages of a database, found without its header, its schema and its inner pages. */

export interface StoredRecord {
  /** Null in an index, and in a table without row ids. */
  rowid: number | null;
  values: unknown[];
  /** Whether the end of it is missing: what it flows over to cannot be read. */
  isCut: boolean;
}

/** Types of pages of b-trees: inner pages and leaves, of indexes and of tables. */
const [innerIndex, innerTable, leafIndex, leafTable] = [2, 5, 10, 13] as const;
/** Of what the pointer map says of a page: the root of a b-tree, or a page below it. */
const [isRoot, isBelow] = [1, 5] as const;

/** Trees are not as deep. */
const maxDepth = 20;

const findTreeStart = (page: number) => (page === 1 ? 100 : 0);

export class RecordReader {
  /** What each inner page says that its children are: the pages that name a page as theirs. */
  private readonly namedBy = new Map<number, number[]>();
  /** Pages that others hang below, as the pointer map says. */
  private readonly parents = new Set<number>();

  constructor(private readonly pages: Pages) {
    for (let number = 1; number <= pages.count; number++) {
      const mapped = this.readPointerMap(number);
      if (mapped?.type === isBelow) this.parents.add(mapped.parent);
      for (const child of this.listChildren(number)) {
        const parents = this.namedBy.get(child);
        if (parents) parents.push(number);
        else this.namedBy.set(child, [number]);
      }
    }
  }

  /** Whether the pointer map says that a tree begins on this page. */
  isRoot(number: number): boolean {
    return this.readPointerMap(number)?.type === isRoot;
  }

  /** The pages of trees, by their roots. */
  groupPagesByRoot(roots: ReadonlySet<number>): Map<number, number[]> {
    const trees = new Map([...roots].map((root) => [root, [] as number[]]));
    for (let number = 1; number <= this.pages.count; number++) {
      let at = number;
      for (let depth = 0; !roots.has(at) && depth < maxDepth; depth++) at = this.findParent(at);
      trees.get(at)?.push(number);
    }
    return trees;
  }

  /**
   * The records on the pages of a tree.
   * @param onDamage where something cannot be read
   */
  *readRecords(
    tree: readonly number[],
    isTable: boolean,
    onDamage: () => void = () => {},
  ): Iterable<StoredRecord> {
    const kinds: (number | undefined)[] = isTable ? [leafTable] : [leafIndex, innerIndex];
    for (const number of tree) {
      const page = this.pages.read(number);
      const type = page?.[findTreeStart(number)];
      if (page && kinds.includes(type)) yield* this.readRecordsOn(page, number, onDamage);
      // An inner page holds no rows of a table; which it was, the pages below it say.
      else if (!isTable || !(type === innerTable || this.parents.has(number))) onDamage();
    }
  }

  private *readRecordsOn(page: Buffer, number: number, onDamage: () => void): Iterable<StoredRecord> {
    for (const at of listCells(page, findTreeStart(number), this.pages.usable, onDamage)) {
      try {
        const record = this.recordAt(page, at, page[findTreeStart(number)]!);
        if (record.isCut) onDamage();
        yield record;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        onDamage();
      }
    }
  }

  /** @throws RangeError where it is none */
  private recordAt(page: Buffer, cell: number, type: number): StoredRecord {
    const at = new Position(page, type === innerIndex ? cell + 4 : cell);
    const size = at.readVarint();
    const rowid = type === leafTable ? at.readVarint() : null;
    const { usable } = this.pages;
    const most = type === leafTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const rest = least + ((size - least) % (usable - 4));
    const local = size <= most ? size : rest <= most ? rest : least;
    if (at.offset + local > usable) throw new RangeError("beyond the page");
    const parts = [page.subarray(at.offset, at.offset + local)];
    let left = size - local;
    if (left > this.pages.count * usable) throw new RangeError("larger than the file");
    const met = new Set<number>();
    for (let next = left > 0 ? page.readUInt32BE(at.offset + local) : 0; left > 0; ) {
      const more = met.has(next) ? null : this.pages.read(next);
      met.add(next);
      if (next === 0 || more === null) break;
      const part = more.subarray(4, 4 + Math.min(left, usable - 4));
      parts.push(part);
      left -= part.length;
      next = more.readUInt32BE(0);
    }
    const payload = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    return { rowid, values: decodeValues(payload, left), isCut: left > 0 };
  }

  /** The page that a page hangs below; 0: none. Two places say it, so that one of them may be damaged. */
  private findParent(number: number): number {
    const named = this.namedBy.get(number) ?? [];
    const mapped = this.readPointerMap(number);
    const parent = mapped?.type === isBelow ? mapped.parent : 0;
    return named.includes(parent) || named.length > 1 ? parent : (named[0] ?? parent);
  }

  /** What the pointer map says of a page; null for nothing. */
  private readPointerMap(number: number): { type: number; parent: number } | null {
    if (number < 3) return null;
    const covered = Math.floor(this.pages.usable / 5) + 1;
    const map = Math.floor((number - 2) / covered) * covered + 2;
    if (map === number) return null;
    if (map !== this.lastMap.number) this.lastMap = { number: map, page: this.pages.read(map) };
    const at = 5 * (number - map - 1);
    const { page } = this.lastMap;
    return page && { type: page[at]!, parent: page.readUInt32BE(at + 1) };
  }

  private lastMap: { number: number; page: Buffer | null } = { number: 0, page: null };

  private listChildren(number: number): number[] {
    const page = this.pages.read(number);
    const start = findTreeStart(number);
    if (page === null || (page[start] !== innerTable && page[start] !== innerIndex)) return [];
    const cells = listCells(page, start, this.pages.usable);
    return [...cells.map((at) => page.readUInt32BE(at)), page.readUInt32BE(start + 8)];
  }
}

/** Where the cells of a page begin. */
function listCells(page: Buffer, start: number, usable: number, onDamage: () => void = () => {}): number[] {
  const begin = start + (page[start]! > innerTable ? 8 : 12);
  const count = page.readUInt16BE(start + 3);
  const cells: number[] = [];
  for (let i = 0; i < count && begin + 2 * i + 2 <= usable; i++) {
    const at = page.readUInt16BE(begin + 2 * i);
    if (at >= begin && at <= usable - 4) cells.push(at);
  }
  if (cells.length < count) onDamage();
  return cells;
}

class Position {
  constructor(
    private readonly bytes: Buffer,
    public offset: number,
  ) {}

  /** @throws RangeError at the end */
  readVarint(): number {
    let value = 0n;
    for (let i = 0; i < 9; i++) {
      const byte = this.bytes.readUInt8(this.offset++);
      if (i === 8) value = (value << 8n) | BigInt(byte);
      else value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) break;
    }
    const number = Number(BigInt.asIntN(64, value));
    if (!Number.isSafeInteger(number)) throw new RangeError("no number that Pommel stores");
    return number;
  }
}

/** @param missing bytes at its end @throws RangeError where it is no record */
function decodeValues(payload: Buffer, missing: number): unknown[] {
  const head = new Position(payload, 0);
  const end = head.readVarint();
  if (end > payload.length) throw new RangeError("beyond the record");
  const types: number[] = [];
  while (head.offset < end) types.push(head.readVarint());
  let at = end;
  const values = types.map((type) => {
    const size = measureValueBytes(type);
    if (at + size > payload.length + missing) throw new RangeError("beyond the record");
    const bytes = payload.subarray(at, at + size);
    at += size;
    // Of text and bytes, what is there of them.
    return bytes.length < size && type < 12 ? null : decode(type, bytes);
  });
  if (at !== payload.length + missing) throw new RangeError("not the whole record");
  return values;
}

/** Sizes of numbers by their type. */
const sizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function measureValueBytes(type: number): number {
  const size = type >= 12 ? Math.floor((type - 12) / 2) : sizes[type];
  if (size === undefined) throw new RangeError("of no type");
  return size;
}

function decode(type: number, bytes: Buffer): unknown {
  if (type >= 12) return type % 2 === 0 ? Uint8Array.from(bytes) : bytes.toString("utf8");
  if (type === 0) return null;
  if (type >= 8) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  const value = Number(bytes.readBigInt64BE(0));
  if (!Number.isSafeInteger(value)) throw new RangeError("no number that Pommel stores");
  return value;
}
