import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { replaceFile } from "../../project/files/replace-file.ts";

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
