import { codeOf, explanationOf, messageOf, PommelError } from "../../../project/errors.ts";
import type { IndexDriver } from "../drivers.ts";
import { Place } from "./place.ts";
import { PostgresIndex } from "./postgres-index.ts";
import { ProjectRows } from "./rows.ts";
import { placeOf, type ServerSettings } from "./server.ts";

/** The code index in a PostgreSQL with pgvector, which several projects and people can share. */
export function postgresDriver(settings: ServerSettings): IndexDriver {
  const rowsOf = (file: string, mode: "read" | "write") => new ProjectRows(settings, new Place(file), mode);
  /** Opens it to read, and closes it. */
  async function using<T>(file: string, use: (index: PostgresIndex) => Promise<T>): Promise<T> {
    const index = new PostgresIndex(rowsOf(file, "read"));
    try {
      await index.open();
      return await use(index);
    } finally {
      await index.close();
    }
  }
  const driver: IndexDriver = {
    async openToWrite(file, log) {
      const index = new PostgresIndex(rowsOf(file, "write"));
      try {
        await index.open();
        return { index, note: null };
      } catch (error) {
        // It connects again with each question, so it is there when the server is.
        if (codeOf(error) === "index_unavailable") return { index, note: null };
        await index.close();
        if (codeOf(error) !== "index_corrupt") throw error;
        const note = await driver.moveAside(file, messageOf(error), log);
        const anew = new PostgresIndex(rowsOf(file, "write"));
        await anew.open();
        return { index: anew, note };
      }
    },
    async read(file, use) {
      if (new Place(file).key() === null) throw notIndexed(file);
      return using(file, use);
    },
    async moveAside(file, why, log) {
      const rows = rowsOf(file, "write");
      try {
        await rows.remove();
      } catch (error) {
        log.warn(`the rows of the old index stay at ${driver.place}: ${messageOf(error)}`);
      } finally {
        await rows.close();
      }
      new Place(file).forget();
      const note = `The index was damaged and is being rebuilt at ${driver.place}.`;
      log.error(`${why} ${note}`);
      return note;
    },
    async check(file) {
      if (new Place(file).key() === null) return { state: "absent" };
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
      if (new Place(file).key() === null) return 0;
      return using(file, (index) => index.bytes()).catch(() => 0);
    },
    get place() {
      try {
        return placeOf(settings);
      } catch {
        return "";
      }
    },
  };
  return driver;
}

const notIndexed = (file: string) =>
  new PommelError("not_indexed", `There is no index of ${file}.`, "Run `pm start` or `pm reindex`.");
