import type { Config } from "../../project/config/settings.ts";
import type { Logger } from "../../project/log.ts";
import type { StoreCheck } from "../sqlite/check-database.ts";
import type { CodeIndex } from "./port.ts";
import { sqliteDriver } from "./sqlite/sqlite-driver.ts";

/** A way to keep a code index; `index.driver` names it. How to add one: CONTRIBUTING.md. */
export interface IndexDriver {
  /**
   * Opens an index to write; where there is none, an empty one. One that is damaged or cannot be opened is moved aside, and
   * an empty one takes its place: it is disposable, and rebuilding it is better than not working.
   * @returns the index, and a note for people when it had to be rebuilt
   * @throws PommelError `index_too_new`, `disk_full`; `unreadable` where it cannot be moved aside
   */
  openToWrite(file: string, log: Logger): Promise<{ index: CodeIndex; note: string | null }>;
  /**
   * Opens an existing index for reading, and closes it. Works beside a writer and on read-only media.
   * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`; what `use` throws
   */
  read<T>(file: string, use: (index: CodeIndex) => Promise<T>): Promise<T>;
  /**
   * Moves a damaged index aside, which must not be open; keeps only the newest of several.
   * @returns a message for people
   */
  moveAside(file: string, why: string, log: Logger): string;
  /** Whether an index is sound and of a format that this Pommel knows. Reads all of it. */
  check(file: string): StoreCheck;
  /** What an index takes on disk. Bytes. */
  bytes(file: string): number;
}

const drivers = { sqlite: sqliteDriver } satisfies Record<Config["index.driver"], IndexDriver>;

/** The driver that a configuration names. */
export function indexDriver(config: Pick<Config, "index.driver">): IndexDriver {
  return drivers[config["index.driver"]];
}
