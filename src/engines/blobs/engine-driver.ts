import { explainError, getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { IndexDriver } from "../../store/index/port.ts";
import { BlobIndex } from "./blob-index.ts";
import type { BlobEngine } from "./blob-store.ts";
import { IndexStore } from "./store.ts";

/** The driver of an engine that may be away: its index opens all the same, and is there when the engine is. */
export function createEngineDriver(engine: BlobEngine): IndexDriver {
  const open = (file: string, mode: "read" | "write" | "rebuild") =>
    new BlobIndex(new IndexStore(engine, file, mode));
  /** Opens it to read, and closes it. */
  async function withOpenIndex<T>(file: string, use: (index: BlobIndex) => Promise<T>): Promise<T> {
    const index = open(file, "read");
    try {
      await index.open();
      return await use(index);
    } finally {
      await index.close();
    }
  }
  const driver: IndexDriver = {
    async openToWrite(file, log) {
      const index = open(file, "write");
      try {
        await index.open();
        return { index, note: null };
      } catch (error) {
        // It connects again with each question, so it is there when the engine is.
        if (getErrorCode(error) === "index_unavailable") return { index, note: null };
        await index.close();
        if (getErrorCode(error) !== "index_corrupt") throw error;
        const note = await driver.moveAside(file, getErrorMessage(error), log);
        const anew = open(file, "rebuild");
        await anew.open();
        return { index: anew, note };
      }
    },
    async read(file, use) {
      if (!engine.isThere(file)) throw makeNotIndexedError(file);
      return withOpenIndex(file, use);
    },
    async moveAside(file, why, log) {
      const place = engine.describePlace(file);
      await engine.remove(file).catch((error: unknown) => {
        log.warn(`the old index stays at ${place}: ${getErrorMessage(engine.explain(error, file))}`);
      });
      const note = `The index was damaged and is being rebuilt at ${place}.`;
      log.error(`${why} ${note}`);
      return note;
    },
    async check(file) {
      if (!engine.isThere(file)) return { state: "absent" };
      try {
        return await withOpenIndex(file, async (index) => ({
          state: "sound",
          schema: 1,
          bytes: await index.countBytes(),
        }));
      } catch (error) {
        if (getErrorCode(error) === "not_indexed") return { state: "absent" };
        const state = getErrorCode(error) === "index_corrupt" ? "damaged" : "unreadable";
        return { state, why: explainError(error) };
      }
    },
    async countBytes(file) {
      if (!engine.isThere(file)) return 0;
      return withOpenIndex(file, (index) => index.countBytes()).catch(() => 0);
    },
    place: engine.place,
  };
  return driver;
}

const makeNotIndexedError = (file: string) =>
  new PommelError(
    "not_indexed",
    `There is no index of ${file}.`,
    "Run `pm daemon start` or `pm daemon reindex`.",
  );
