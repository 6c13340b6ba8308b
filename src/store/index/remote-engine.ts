import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { codeOf, explanationOf, messageOf, PommelError } from "../../project/errors.ts";
import { replaceFile } from "../../project/files/replace-file.ts";
import type { CodeIndex, IndexDriver } from "./port.ts";

/** The folder beside `index.db` with the tables of LanceDB. */
export const lanceFolder = (file: string) => `${file.replace(/\.db$/, "")}.lance`;

const placeFile = z.object({ key: z.string(), of: z.string() });

/**
 * Which part of a shared server or bucket is a project's: a random key in a file beside where `index.db` would be. Paths would
 * not do, as several machines have the same. A copied directory gets a key of its own, a moved one keeps its.
 */
export class Place {
  private readonly path: string;

  /** @param file where the project's index would be @param driver ends the file's name */
  constructor(
    private readonly file: string,
    private readonly driver: "postgres" | "lancedb",
  ) {
    this.path = this.pathBeside(file);
  }

  private pathBeside(file: string): string {
    return `${file.replace(/\.db$/, "")}.${this.driver}`;
  }

  /** For people. */
  get root(): string {
    return dirname(dirname(this.file));
  }

  /** null: nothing was indexed there. */
  key(): string | null {
    const known = this.read();
    if (known === null || known.of === this.file || !existsSync(this.pathBeside(known.of))) {
      return known?.key ?? null;
    }
    return null;
  }

  /** The key, a new one if there is none. */
  claim(): string {
    const key = this.key() ?? randomUUID();
    if (this.read()?.of !== this.file) replaceFile(this.path, `${JSON.stringify({ key, of: this.file })}\n`);
    return key;
  }

  forget(): void {
    rmSync(this.path, { force: true });
  }

  private read(): z.infer<typeof placeFile> | null {
    try {
      return placeFile.parse(JSON.parse(readFileSync(this.path, "utf8")));
    } catch {
      // Absent or unreadable: the index is made again.
      return null;
    }
  }
}

/** After a failure nothing is tried for so long, as each try may take seconds. Milliseconds. */
const pauseMs = 2000;

interface Connecting<Opened> {
  open(): Promise<Opened>;
  /** An error as people are told it: a PommelError where the engine is what fails. */
  explained(error: unknown): unknown;
  /** The engine was found to be away. */
  onAway?(): void;
}

/** What is opened when it is first asked for, and again after its engine was away. */
export class EngineConnection<Opened> {
  private opened: Promise<Opened> | null = null;
  private failure: { at: number; error: unknown } | null = null;

  constructor(private readonly how: Connecting<Opened>) {}

  /** To be asked within `explaining`. @throws soon after a failure the same again */
  async current(): Promise<Opened> {
    if (this.failure !== null && Date.now() - this.failure.at < pauseMs) throw this.failure.error;
    this.opened ??= this.how.open();
    return this.opened;
  }

  /** @throws what went wrong, as `explained` says it */
  async explaining<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.failure = null;
      return result;
    } catch (error) {
      const known = this.how.explained(error);
      if (codeOf(known) === "index_unavailable" && this.failure?.error !== known) {
        this.failure = { at: Date.now(), error: known };
        this.how.onAway?.();
      }
      // What was opened may be gone, or be another one, when it is asked for again.
      if (known instanceof PommelError) this.opened = null;
      throw known;
    }
  }

  /** What is open is no longer given. @returns it, to be closed; null: nothing is open */
  async end(): Promise<Opened | null> {
    const opened = await this.opened?.catch(() => null);
    this.opened = null;
    return opened ?? null;
  }
}

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
