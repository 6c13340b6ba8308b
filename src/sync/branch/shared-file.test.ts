import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { records, type SharedText, sharedText } from "../../../test/support/sync-fixture.ts";
import {
  type BranchManifest,
  makeManifestEntry,
  manifestPath,
  parseItemPath,
  readManifest,
  writeManifest,
} from "./manifest.ts";
import { decode, encode, type FileType, joinTexts } from "./shared-file.ts";

/** The shared state: texts by path, without the manifest, which is derived. */
type SharedState = ReadonlyMap<string, string>;

/** Joins two states. A semilattice join, so that merges in any order and number converge, and nothing is lost. */
function mergeStates(a: SharedState, b: SharedState): SharedState {
  const merged = new Map(a);
  for (const [path, text] of b) {
    const other = merged.get(path);
    merged.set(path, other === undefined ? text : joinTexts(parseItemPath(path), other, text));
  }
  merged.delete(manifestPath);
  return merged;
}

/** Derives a state's manifest. */
function manifestOf(state: SharedState): string {
  const manifest: BranchManifest = new Map();
  for (const [path, text] of state) {
    const entry = makeManifestEntry(path, text);
    if (entry !== null) manifest.set(path, entry);
  }
  return writeManifest(manifest);
}

const types = Object.keys(records) as FileType[];
const placeFor = (type: FileType) =>
  type === "meta" || type === "transcript"
    ? ({ kind: "session", part: type } as const)
    : ({ kind: type, part: "whole" } as const);

describe.each(types)("two versions of a %s", (type) => {
  const text = fc.oneof(
    { weight: 9, arbitrary: records[type].map((record) => encode(type, record as never)) },
    { weight: 1, arbitrary: fc.constantFrom("", "{", "[]\n", '{"id":"t1"}\n') },
  );
  const join = (a: string, b: string) => joinTexts(placeFor(type), a, b);

  it("join independently of order, grouping and repetition", () => {
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(join(a, b)).toBe(join(b, a));
        expect(join(join(a, b), c)).toBe(join(a, join(b, c)));
        const both = join(a, b);
        expect(join(both, a)).toBe(both);
        expect(join(both, both)).toBe(both);
      }),
      { numRuns: runs(100) },
    );
  });

  it("round-trip through encoding", () => {
    fc.assert(
      fc.property(records[type], (record) => {
        const written = encode(type, record as never);
        const read = decode(type, written);
        expect(read.malformed).toBe(0);
        expect(encode(type, read.record as never)).toBe(written);
      }),
      { numRuns: runs(40) },
    );
  });
});

/** Everything in a state that must never be lost: turns, lines, links, participants, foreign fields. */
function tokens(state: SharedState): Set<string> {
  const found = new Set<string>();
  for (const [path, text] of state) {
    found.add(path);
    const place = parseItemPath(path);
    if (place?.part === "transcript") {
      for (const { id, lines, also, usage } of decode("transcript", text).record ?? []) {
        found.add(`${path} ${id}`);
        for (const { uid } of lines) if (uid !== null) found.add(`${path} ${id} line ${uid}`);
        for (const uid of Object.keys(also)) found.add(`${path} ${id} line ${uid}`);
        for (const { message } of usage) found.add(`${path} ${id} usage ${message}`);
      }
    }
    if (place?.kind === "event") {
      for (const { kind, target } of decode("event", text).record?.links ?? [])
        found.add(`${path} ${kind} ${target}`);
    }
    if (place?.kind === "checkpoint") {
      for (const { session, turns } of decode("checkpoint", text).record?.sessions ?? [])
        for (const turn of turns) found.add(`${path} ${session} ${turn}`);
    }
  }
  return found;
}

/** A machine that syncs step by step like the program: fetch, merge, push unless the remote has moved on. */
class Clone {
  state: SharedState = new Map();
  private fetched: { state: SharedState; version: number } | null = null;
  write({ path, text }: SharedText) {
    this.state = mergeStates(this.state, new Map([[path, text]]));
  }
  fetch(remote: Remote) {
    this.fetched = { state: remote.state, version: remote.version };
  }
  merge() {
    if (this.fetched) this.state = mergeStates(this.state, this.fetched.state);
  }
  push(remote: Remote): boolean {
    // Rejected: the remote moved on.
    if (this.fetched?.version !== remote.version) return false;
    this.merge();
    remote.state = this.state;
    remote.version++;
    return true;
  }
}
interface Remote {
  state: SharedState;
  version: number;
}

const step = fc.record({
  clone: fc.nat({ max: 3 }),
  act: fc.oneof(
    sharedText,
    fc.constantFrom("fetch" as const, "merge" as const, "push" as const, "lose" as const),
  ) as fc.Arbitrary<SharedText | "fetch" | "merge" | "push" | "lose">,
});

describe.each([
  ["meta", "started_at"],
  ["annotation", "at"],
  ["checkpoint", "created_at"],
  ["event", "created_at"],
] as const)("a %s whose %s", (type, field) => {
  const [sample] = fc.sample(records[type] as fc.Arbitrary<object>, { numRuns: 1, seed: 1 });
  const withTime = (time: number) => decode(type, JSON.stringify({ ...sample, [field]: time }));

  it.each([1e300, -1e300, 1.5])("is %s cannot be stored, and is malformed", (time) => {
    expect(withTime(1)).toMatchObject({ malformed: 0, record: { [field]: 1 } });
    expect(withTime(time)).toMatchObject({ malformed: 1, record: null });
  });
});

describe("machines that sync at once", () => {
  it("converge without loss, in any order of their steps", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        (n, steps) => {
          const remote: Remote = { state: new Map(), version: 0 };
          const clones = Array.from({ length: n }, () => new Clone());
          const written = new Map<string, SharedText[]>();
          for (const { clone: which, act } of steps) {
            const clone = clones[which % n]!;
            if (typeof act === "object") {
              clone.write(act);
              written.set(act.path, [...(written.get(act.path) ?? []), act]);
            } else if (act === "lose") {
              // Someone reset the branch to an older state.
              if (remote.version % 3 === 0) remote.state = new Map([...remote.state].slice(1));
              remote.version++;
            } else if (act === "fetch") clone.fetch(remote);
            else if (act === "push") clone.push(remote);
            else clone.merge();
          }
          for (let round = 0; round < 2; round++) {
            for (const clone of clones) {
              clone.fetch(remote);
              expect(clone.push(remote)).toBe(true);
            }
          }
          for (const clone of clones) {
            clone.fetch(remote);
            clone.merge();
          }
          const all = [...written.values()].flat();
          const whole = all.reduce<SharedState>(
            (state, { path, text }) => mergeStates(state, new Map([[path, text]])),
            new Map(),
          );
          const sorted = (state: SharedState) => [...state].sort(([a], [b]) => (a < b ? -1 : 1));
          for (const clone of clones) expect(sorted(clone.state)).toEqual(sorted(whole));
          const kept = tokens(remote.state);
          for (const { path, text } of all) {
            for (const token of tokens(new Map([[path, text]]))) expect(kept).toContain(token);
          }
          expect(manifestOf(remote.state)).toBe(manifestOf(whole));
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe("the manifest", () => {
  it("names every known file, and round-trips", () => {
    fc.assert(
      fc.property(fc.array(sharedText, { maxLength: 8 }), (texts) => {
        const state = texts.reduce<SharedState>(
          (sum, { path, text }) => mergeStates(sum, new Map([[path, text]])),
          new Map([[manifestPath, "overwritten"]]),
        );
        const named = [...(readManifest(manifestOf(state)) ?? new Map()).keys()].sort();
        const understood = [...state.keys()].filter(
          (path) => parseItemPath(path) !== null && decodable(path, state.get(path)!),
        );
        expect(named).toEqual(understood.sort());
      }),
    );
  });

  it("is rejected when invalid", () => {
    for (const text of ["", "{", "[]", '{"version":1}']) expect(readManifest(text)).toBeNull();
  });
});

function decodable(path: string, text: string): boolean {
  const place = parseItemPath(path)!;
  return place.part === "transcript" || JSON.parse(text) !== null;
}
