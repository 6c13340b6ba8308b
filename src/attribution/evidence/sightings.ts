import { addTo } from "../../base/multimap.ts";
import type { Memory } from "../../store/memory/memory.ts";
import {
  findObservedPaths,
  listObservationsBetween,
  listObservationsOfFile,
} from "../../store/memory/observations.ts";

/** Fewer lines may be equal by chance. */
const minSharedLines = 3;
/** Of lines that show up together, that were together before. */
const minSharedShare = 0.75;

/** So many lines show up at once when a file is formatted, at least, and as a share of those it had. */
const fewestFormatted = 10;
const formatted = 0.25;
/** So many of a file's lines at least, as a share of those that show up, are gone when it was formatted: they became others. */
const replaced = 1 / 8;

/** When each line of a file showed up, in order. */
type Times = Map<number, number[]>;

const noSightings: { all: Times; fresh: Times } = { all: new Map(), fresh: new Map() };

/** When lines showed up in files, as far as these were watched. */
export class Sightings {
  private readonly known = new Map<string, { all: Times; fresh: Times }>();
  private readonly sources = new Map<string, readonly string[]>();
  private readonly reformed = new Map<string, boolean>();
  private everywhere: Map<string, Times> | null = null;
  /** Files by the second in which something showed up in them. */
  private byTime: Map<number, Set<string>> | null = null;
  private paths: ReadonlySet<string> | null = null;

  constructor(
    private readonly memory: Memory,
    private readonly range: { since: number; until: number },
    /** The keys of a file's lines that are still there in the end. */
    private readonly keptIn: (path: string) => ReadonlySet<number> = () => new Set(),
  ) {}

  /** Empty if the file was not watched. */
  getSightings(path: string): ReadonlyMap<number, readonly number[]> {
    return this.readSightings(path).all;
  }

  /** Without those of lines that came back together, as from a stash or with another branch. */
  getFreshSightings(path: string): ReadonlyMap<number, readonly number[]> {
    return this.readSightings(path).fresh;
  }

  private readSightings(path: string): { all: Times; fresh: Times } {
    const known = this.known.get(path);
    if (known) return known;
    // Of thousands of files that agents wrote few were watched, and none where history is imported.
    this.paths ??= findObservedPaths(this.memory, this.range);
    if (!this.paths.has(path)) return noSightings;
    const times = { all: new Map(), fresh: new Map() };
    for (const { at, keys } of listObservationsOfFile(this.memory, path, this.range)) {
      const fresh = isBack(times.all, keys) ? keys.filter((key) => !times.all.has(key)) : keys;
      add(times.fresh, at, fresh);
      add(times.all, at, keys);
    }
    this.known.set(path, times);
    return times;
  }

  /**
   * Whether so much of a file that was there showed up at once as when it is formatted, in the place of others: more than
   * somebody types.
   */
  isReformed(path: string, at: number): boolean {
    // Asked for with every line of the file.
    const known = this.reformed.get(`${at} ${path}`);
    if (known !== undefined) return known;
    const kept = this.keptIn(path);
    let [together, before, gone] = [0, 0, 0];
    for (const [key, times] of this.getSightings(path)) {
      if (times[0]! < at) {
        before++;
        if (!kept.has(key)) gone++;
      } else if (times[0] === at) together++;
    }
    const isReformed =
      together >= fewestFormatted &&
      before * 2 >= together &&
      together >= before * formatted &&
      gone >= together * replaced;
    this.reformed.set(`${at} ${path}`, isReformed);
    return isReformed;
  }

  /** When something showed up first in a file since a time; infinite where nothing did. */
  findFirstSightingAfter(path: string, since: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const times of this.getSightings(path).values()) {
      for (const at of times) if (at >= since && at < first) first = at;
    }
    return first;
  }

  /** When something showed up last in a file until a time; 0 where nothing did. */
  findLastSightingBefore(path: string, until: number): number {
    let last = 0;
    for (const times of this.getSightings(path).values()) {
      for (const at of times) if (at <= until && at > last) last = at;
    }
    return last;
  }

  /** The files in which something showed up at a time. */
  listFilesSeenAt(at: number): ReadonlySet<string> {
    this.byTime ??= groupFilesByTime(this.readAllSightings());
    return this.byTime.get(toWholeSeconds(at)) ?? new Set();
  }

  /** Files and the times at which something showed up in them, between two times, to the second. */
  listSightingsBetween(since: number, until: number): { path: string; at: number }[] {
    this.byTime ??= groupFilesByTime(this.readAllSightings());
    return [...this.byTime].flatMap(([moment, paths]) =>
      moment >= toWholeSeconds(since) && moment <= toWholeSeconds(until)
        ? [...paths].map((path) => ({ path, at: moment * 1000 }))
        : [],
    );
  }

  /**
   * Where a line was before it showed up here: what showed up with it was in another file, which was renamed, or from
   * which it was copied.
   */
  findEarlierSighting(path: string, at: number, key: number): { path: string; at: number } | null {
    for (const source of this.findCopySources(path, at)) {
      const found = this.readAllSightings()
        .get(source)
        ?.get(key)
        ?.findLast((time) => time < at);
      if (found !== undefined) return { path: source, at: found };
    }
    return null;
  }

  /** Files in which most of what showed up together was before. */
  private findCopySources(path: string, at: number): readonly string[] {
    const known = this.sources.get(`${at} ${path}`);
    if (known) return known;
    const together = [...this.getSightings(path)].flatMap(([key, times]) =>
      times.includes(at) ? [key] : [],
    );
    const sources: string[] = [];
    for (const [other, times] of together.length < minSharedLines ? [] : this.readAllSightings()) {
      if (other === path) continue;
      const count = together.filter((key) => times.get(key)?.some((time) => time < at)).length;
      if (count >= minSharedLines && count >= together.length * minSharedShare) sources.push(other);
    }
    this.sources.set(`${at} ${path}`, sources);
    return sources;
  }

  private readAllSightings(): ReadonlyMap<string, Times> {
    if (this.everywhere) return this.everywhere;
    const all = new Map<string, Times>();
    for (const { path, at, keys } of listObservationsBetween(this.memory, this.range)) {
      const times = all.get(path) ?? new Map<number, number[]>();
      all.set(path, times);
      add(times, at, keys);
    }
    this.everywhere = all;
    return all;
  }
}

const toWholeSeconds = (at: number): number => Math.floor(at / 1000);

function groupFilesByTime(files: ReadonlyMap<string, Times>): Map<number, Set<string>> {
  const byTime = new Map<number, Set<string>>();
  for (const [path, times] of files) {
    for (const at of [...times.values()].flat()) {
      const paths = byTime.get(toWholeSeconds(at)) ?? new Set<string>();
      byTime.set(toWholeSeconds(at), paths.add(path));
    }
  }
  return byTime;
}

/** Whether what shows up was there together before. */
function isBack(times: Times, keys: readonly number[]): boolean {
  const distinct = new Set(keys);
  const back = [...distinct].filter((key) => times.has(key)).length;
  return back >= minSharedLines && back >= distinct.size * minSharedShare;
}

function add(times: Times, at: number, keys: readonly number[]): void {
  for (const key of keys) {
    addTo(times, key, at);
  }
}
