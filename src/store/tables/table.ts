import type { LabelKind, OutsideKind } from "../../protocol/outside.ts";

/**
 * Tables, each described once: its columns, what their texts are, how two versions of a row become one, and what of it leaves
 * this machine. CREATE TABLE, INSERT, SELECT, the records of synchronisation, exports, teams' rows and repairs follow.
 */

/** What a text is: of a grammar, a label, or words that people and agents wrote. */
export type StoredTextKind = OutsideKind | LabelKind | "words";

export type NumberKind = "row" | "time" | "count" | "integer" | "fraction" | "real";

/**
 * How two versions of a column become one, those of this memory as those of two machines. first: what is known stays; between
 * machines the same one everywhere. latest: what is given counts. least, greatest: as numbers, or by the order of the values.
 */
export type ColumnMerge = "first" | "latest" | "least" | "greatest" | "any" | "union" | "redacted";

/** Another table's row, by its number or another key, and what becomes of this row when that one goes. */
interface TableReference {
  table: string;
  key?: string;
  gone: "CASCADE" | "SET NULL";
}

interface ColumnOptions<S extends string | boolean> {
  /** The primary key, alone. */
  isKey?: boolean;
  isUnique?: boolean;
  references?: TableReference;
  default?: string;
  merge?: ColumnMerge;
  /** Columns of the same group come from one version together. */
  together?: string;
  /** The schema that added it, of a memory that was released without; a row from before says null, or the default. */
  since?: number;
  /** Goes into what is shared, exported and sent to a team: true as the column is called, else under this name. */
  shared?: S;
  /** It is scrubbed on its way out and in. */
  isPrivate?: boolean;
}

/** @template T in code @template S its name in a shared record @template V its value there */
export interface TableColumn<T = unknown, S extends string | boolean = string | boolean, V = unknown>
  extends ColumnOptions<S> {
  type: "TEXT" | "INTEGER" | "REAL" | "BLOB";
  isNullable: boolean;
  isReused?: boolean;
  /** How code has it otherwise than SQLite: true and false, or what JSON stands for. */
  as?: "flag" | "json";
  /** What a text, or each text of a list, is. */
  is?: StoredTextKind;
  number?: NumberKind;
  values?: readonly string[];
  /** Only types know them. */
  readonly value?: T;
  readonly sharedValue?: V;
}

export type Columns = Readonly<Record<string, TableColumn>>;

export interface Table<C extends Columns = Columns> {
  name: string;
  columns: C;
  /** The primary key where it is several columns. */
  key?: readonly string[];
  unique?: readonly string[];
  /** By name: what follows the table's name in CREATE INDEX, behind UNIQUE for one that is. */
  indexes?: Readonly<Record<string, string>>;
  /**
   * What it holds where that is no memory. derived: what is made again from the others. work: what processes are doing. state: how far
   * an exchange came, and the memory's own settings. samples: sizes by day.
   */
  holds?: "derived" | "work" | "state" | "samples";
}

type ValueOf<C> = C extends TableColumn<infer T> ? T : never;

/** A row as code has it. */
export type TableRow<T extends Table> = { -readonly [K in keyof T["columns"]]: ValueOf<T["columns"][K]> };

interface Keys<C extends Columns> {
  key?: readonly (keyof C)[];
  unique?: readonly (keyof C)[];
}

/** A field as SQL, shared records and answers name it. */
export type Snake<S extends string> = S extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${Snake<Rest>}`
  : S;

export const table = <const C extends Columns>(described: Table<C> & Keys<C>): Table<C> => described;

/** The row's own number. `isReused`: one of a row that is gone may be given again. */
export const rowId = ({ isReused = false } = {}): TableColumn<number, false> => ({
  type: "INTEGER",
  isNullable: false,
  isKey: true,
  isReused,
});

export const text = <const S extends string | boolean = false>(
  is: StoredTextKind,
  options: ColumnOptions<S> = {},
): TableColumn<string, S, string> => ({ ...options, type: "TEXT", isNullable: false, is });

export const oneOf = <const T extends string, const S extends string | boolean = false>(
  values: readonly T[],
  options: ColumnOptions<S> = {},
): TableColumn<T, S, T> => ({ ...options, type: "TEXT", isNullable: false, values });

const numeric =
  (number: NumberKind, type: "INTEGER" | "REAL" = "INTEGER") =>
  <const S extends string | boolean = false>(
    options: ColumnOptions<S> = {},
  ): TableColumn<number, S, number> => ({
    ...options,
    type,
    isNullable: false,
    number,
  });

/** Milliseconds since the epoch. */
export const time = numeric("time");
export const count = numeric("count");
export const integer = numeric("integer");
/** 0 to 1. */
export const fraction = numeric("fraction", "REAL");
export const real = numeric("real", "REAL");

/** The number of another table's row, without which this one goes; what is shared has its uid. */
export const reference = <const S extends string | boolean = false>(
  to: string,
  { gone = "CASCADE", ...options }: ColumnOptions<S> & Partial<Pick<TableReference, "gone">> = {},
): TableColumn<number, S, string> => ({
  ...options,
  type: "INTEGER",
  isNullable: false,
  number: "row",
  references: { table: to, gone },
});

/** Yes or no, never null; rows that were selected have it once `readRow` has seen them. */
export const flag = <const S extends string | boolean = false>(
  options: ColumnOptions<S> = {},
): TableColumn<boolean, S, boolean> => ({ ...options, type: "INTEGER", isNullable: false, as: "flag" });

/** Stored as JSON. */
export const json = <T>(options: ColumnOptions<false> = {}): TableColumn<T, false> => ({
  ...options,
  type: "TEXT",
  isNullable: false,
  as: "json",
});

/** Texts of a kind, stored as JSON. */
export const texts = <const S extends string | boolean = false>(
  is: StoredTextKind,
  options: ColumnOptions<S> = {},
): TableColumn<string[], S, string[]> => ({ ...options, type: "TEXT", isNullable: false, as: "json", is });

/** Whole numbers, stored as JSON. */
export const numbers = <const S extends string | boolean = false>(
  options: ColumnOptions<S> = {},
): TableColumn<number[], S, number[]> => ({
  ...options,
  type: "TEXT",
  isNullable: false,
  as: "json",
  number: "integer",
});

export const bytes = (options: ColumnOptions<false> = {}): TableColumn<Uint8Array, false> => ({
  ...options,
  type: "BLOB",
  isNullable: false,
});

export const nullable = <T, S extends string | boolean, V>(
  column: TableColumn<T, S, V>,
): TableColumn<T | null, S, V | null> =>
  ({ ...column, isNullable: true }) as TableColumn<T | null, S, V | null>;
