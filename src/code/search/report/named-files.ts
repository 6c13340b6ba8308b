import { addTo } from "../../../base/multimap.ts";
import type { IndexEntry } from "../../../store/index/port.ts";

/** Files of the project that a report names; each with how surely it means it, 0 to 1. */
export type NamedFiles = ReadonlyMap<string, number>;

/** A path that fits more files names none of them. */
const maxAmbiguous = 3;

/** Finds files by paths and modules as somebody elsewhere writes them. */
export class FileFinder {
  private readonly byName = new Map<string, string[]>();
  private readonly byModule = new Map<string, string[]>();

  constructor(files: readonly IndexEntry[]) {
    for (const { path } of files) {
      addTo(this.byName, path.slice(path.lastIndexOf("/") + 1), path);
      const parts = path
        .replace(/\.\w+$/, "")
        .replace(/\/__init__$/, "")
        .split("/");
      for (let from = 0; from + 1 < parts.length; from++)
        addTo(this.byModule, parts.slice(from).join("."), path);
    }
  }

  /**
   * The files that end as a path does: `/usr/lib/python3/app/views.py` is `src/app/views.py`. Of a path with directories the last one
   * must fit as well, so that files of other projects name none.
   */
  findByPath(written: string): NamedFiles {
    const parts = written
      .replace(/^~?\/+/, "")
      .split("/")
      .filter((part) => part !== "." && part !== "..");
    const candidates = this.byName.get(parts.at(-1) ?? "") ?? [];
    const scored = candidates.map((path) => ({ path, shared: countSharedEnd(path.split("/"), parts) }));
    const most = Math.max(0, ...scored.map(({ shared }) => shared));
    const best = scored.filter(
      ({ path, shared }) => shared === most && (shared >= 2 || parts.length === 1 || !path.includes("/")),
    );
    return best.length > maxAmbiguous ? new Map() : new Map(best.map(({ path }) => [path, 1 / best.length]));
  }

  /** The file of the longest beginning of a dotted name that is a module: `app.views.login` is `app/views.py`. */
  findByModule(dotted: string): NamedFiles {
    const parts = dotted.split(".");
    for (let length = parts.length; length >= 2; length--) {
      const paths = this.byModule.get(parts.slice(0, length).join("."));
      if (paths !== undefined) return new Map(paths.map((path) => [path, 1 / paths.length]));
    }
    return new Map();
  }
}

function countSharedEnd(one: readonly string[], other: readonly string[]): number {
  let shared = 0;
  while (shared < one.length && shared < other.length && one.at(-1 - shared) === other.at(-1 - shared))
    shared++;
  return shared;
}
