import { codeOf, explanationOf, messageOf, PommelError } from "../../project/errors.ts";
import type { CodeIndex, IndexDriver } from "./port.ts";

/** An index that connects when it is first asked, and again after its engine was away. */
interface ConnectingIndex extends CodeIndex {
  /** @throws PommelError `not_indexed` (to read), `index_corrupt`, `index_unavailable` */
  open(): Promise<void>;
  bytes(): Promise<number>;
}

/** What differs between engines that may be away. */
interface Engine {
  make(file: string, mode: "read" | "write"): ConnectingIndex;
  /** Whether anything was stored for the project, as far as its own directory shows. */
  isThere(file: string): boolean;
  /** Removes the project's part. */
  remove(file: string): Promise<void>;
  /** Where that is, for people. */
  placeOf(file: string): string;
  place(): string;
}

const notIndexed = (file: string) =>
  new PommelError(
    "not_indexed",
    `There is no index of ${file}.`,
    "Run `pm daemon start` or `pm daemon reindex`.",
  );

/** The driver of an engine that may be away: its index opens all the same, and is there when the engine is. */
export function driverOf(engine: Engine): IndexDriver {
  /** Opens it to read, and closes it. */
  async function using<T>(file: string, use: (index: ConnectingIndex) => Promise<T>): Promise<T> {
    const index = engine.make(file, "read");
    try {
      await index.open();
      return await use(index);
    } finally {
      await index.close();
    }
  }
  const driver: IndexDriver = {
    async openToWrite(file, log) {
      const index = engine.make(file, "write");
      try {
        await index.open();
        return { index, note: null };
      } catch (error) {
        // It connects again with each question, so it is there when the engine is.
        if (codeOf(error) === "index_unavailable") return { index, note: null };
        await index.close();
        if (codeOf(error) !== "index_corrupt") throw error;
        const note = await driver.moveAside(file, messageOf(error), log);
        const anew = engine.make(file, "write");
        await anew.open();
        return { index: anew, note };
      }
    },
    async read(file, use) {
      if (!engine.isThere(file)) throw notIndexed(file);
      return using(file, use);
    },
    async moveAside(file, why, log) {
      const place = engine.placeOf(file);
      await engine.remove(file).catch((error: unknown) => {
        log.warn(`the old index stays at ${place}: ${messageOf(error)}`);
      });
      const note = `The index was damaged and is being rebuilt at ${place}.`;
      log.error(`${why} ${note}`);
      return note;
    },
    async check(file) {
      if (!engine.isThere(file)) return { state: "absent" };
      try {
        return await using(file, async (index) => ({
          state: "sound",
          schema: 1,
          bytes: await index.bytes(),
        }));
      } catch (error) {
        if (codeOf(error) === "not_indexed") return { state: "absent" };
        const state = codeOf(error) === "index_corrupt" ? "damaged" : "unreadable";
        return { state, why: explanationOf(error) };
      }
    },
    async bytes(file) {
      if (!engine.isThere(file)) return 0;
      return using(file, (index) => index.bytes()).catch(() => 0);
    },
    get place() {
      return engine.place();
    },
  };
  return driver;
}
