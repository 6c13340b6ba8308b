import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { getErrorCode } from "../../base/errors.ts";

/**
 * Encrypted databases, in the format of SQLCipher 4: every page with AES-256 and an HMAC. Two packages read and write it, and
 * come with binaries that need neither a compiler nor an install script (docs/decisions/0018-encryption-at-rest.md). Here
 * they get the part of `node:sqlite`'s interface that the store uses, so that the same code runs on all.
 */

/** What the store uses of `node:sqlite`'s database. */
export type SqlDriver = Pick<DatabaseSyncInstance, "prepare" | "exec" | "isTransaction" | "isOpen" | "close">;
export type DriverStatement = ReturnType<SqlDriver["prepare"]>;

export interface OpenRequest {
  file: string;
  /** 64 hexadecimal digits; null opens a plain one. */
  key: string | null;
  readOnly: boolean;
  /** Milliseconds. */
  timeout: number;
}

/** What a package is to the store. */
export interface SqlEngine {
  open(opening: OpenRequest): SqlDriver;
  /** Writes a copy with another key, or none, into an empty file. */
  copy(opening: OpenRequest, target: string, key: string | null): void;
}

/** A raw key: no passphrase to derive it from at every opening. */
export const formatRawKey = (key: string) => `"x'${key}'"`;

/** Values as `node:sqlite` gives them. */
export function toNodeValue(value: unknown): unknown {
  // SQLite's integers end at 2^63; larger ones are floating-point numbers.
  const isLarge = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  if (isLarge && Math.abs(value) <= 2 ** 63) {
    throw new RangeError(`Value is too large to be represented as a JavaScript number: ${value}`);
  }
  if (Buffer.isBuffer(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

/** Errors carry SQLite's name of the primary code, as those of `Sqlite` do. */
export function withPrimaryCodes<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withPrimaryCode(error);
  }
}

function withPrimaryCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [primary] = /^SQLITE_(?:IOERR_SHORT_READ|[A-Z]+)/.exec(getErrorCode(error)) ?? [];
  if (primary !== undefined) return Object.assign(error, { code: primary });
  const cannotOpen = /unable to open database file|directory does not exist/.test(error.message);
  return cannotOpen ? Object.assign(error, { code: "SQLITE_CANTOPEN" }) : error;
}
