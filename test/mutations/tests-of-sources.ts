import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** So many test files run for one source: the nearest ones. */
const maxTests = 8;
/** How many imports a test may be away. */
const maxSteps = 3;

const isTest = (file: string) => file.endsWith(".test.ts");

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((file) => file.endsWith(".ts"));

/** The sources in these folders of `src/`, in order. */
export const listSources = (rooms: readonly string[]) =>
  rooms
    .flatMap((room) => listFiles(join("src", room)))
    .filter((file) => !isTest(file))
    .sort();

/** Which unit tests import a source, itself or through others. */
export class TestsOfSources {
  private readonly importers = new Map<string, Set<string>>();

  constructor() {
    for (const file of ["src", "test/support"].flatMap(listFiles)) {
      for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
        const imported = join(dirname(file), path!);
        const importers = this.importers.get(imported) ?? new Set();
        this.importers.set(imported, importers.add(file));
      }
    }
  }

  /** The test beside it first, then those that import it, then those that import what imports it. */
  findNearest(source: string): string[] {
    const beside = source.replace(/\.ts$/, ".test.ts");
    const tests = new Set(existsSync(beside) ? [beside] : []);
    const seen = new Set([source]);
    let files = [source];
    for (let step = 0; step < maxSteps && tests.size < maxTests; step++) {
      files = files
        .flatMap((file) => [...(this.importers.get(file) ?? [])])
        .filter((file) => !seen.has(file) && seen.add(file));
      for (const file of files.filter(isTest).sort()) if (tests.size < maxTests) tests.add(file);
    }
    return [...tests];
  }
}
