import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run, write } from "../../../test/support/attribution-fixture.ts";
import { estimateClocks } from "./clock.ts";
import type { ShellRun, Write } from "./writes.ts";

type ClockEvidence = Parameters<typeof estimateClocks>[0];

const hour = 3_600_000;
const now = 1000 * hour;
const block = (n: number) => [
  `const first${n} = computeTheFirst(${n});`,
  `const second${n} = computeTheSecond(${n});`,
  `const third${n} = computeTheThird(${n});`,
  `const fourth${n} = computeTheFourth(${n});`,
];

/** A call at a time, by the session's own clock. */
const wrote = (at: number, lines: string[], more: Partial<Write> = {}): Write =>
  write(lines, { startedAt: at, at: at + 500, toolUse: `call${at}`, ...more });

function clocks(more: Partial<ClockEvidence> & { sights?: [at: number, lines: string[]][] }) {
  const seen = new Map<number, number[]>();
  for (const [at, lines] of more.sights ?? []) {
    for (const { key } of write(lines).hunks[0]!.lines) seen.set(key, [...(seen.get(key) ?? []), at]);
  }
  return estimateClocks({
    writes: [],
    runs: [],
    paths: [],
    seenIn: () => seen,
    committedAt: () => null,
    addedTo: () => new Set(),
    isNew: () => false,
    heldSince: () => null,
    until: now,
    ...more,
  });
}

const keysOf = (lines: string[]) => new Set(write(lines).hunks[0]!.lines.map(({ key }) => key));

describe("a session's clock", () => {
  it("is found from when its lines showed up, to within what a call takes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -20 * hour, max: 20 * hour }),
        fc.integer({ min: 0, max: 600 }),
        (ms, delay) => {
          fc.pre(Math.abs(ms) > 60_000);
          const writes = [wrote(now - hour + ms, block(1)), wrote(now - 2 * hour + ms, block(2))];
          const sights: [number, string[]][] = [
            [now - hour + delay, block(1)],
            [now - 2 * hour + delay, block(2)],
          ];
          const found = clocks({ writes, sights }).offsets.get("s")!;
          expect(Math.abs(found - ms)).toBeLessThanOrEqual(600);
        },
      ),
    );
  });

  it("is right where lines showed up while their call ran, hooks included", () => {
    const slow = wrote(now - hour, block(1), { at: now - hour + 90_000 });
    const { offsets, right } = clocks({ writes: [slow], sights: [[now - hour + 60_000, block(1)]] });
    expect([offsets.size, [...right]]).toEqual([0, ["s"]]);
  });

  it("is not guessed from one line, nor from times that differ", () => {
    const line = ["const only = one(line);"];
    expect(clocks({ writes: [wrote(now, line)], sights: [[now - hour, line]] }).offsets.size).toBe(0);
    const writes = [wrote(now, block(1).slice(0, 2)), wrote(now, block(2).slice(0, 2))];
    const sights: [number, string[]][] = [
      [now - hour, block(1).slice(0, 2)],
      [now - 5 * hour, block(2).slice(0, 2)],
    ];
    expect(clocks({ writes, sights }).offsets.size).toBe(0);
  });

  it("is known exactly from a commit that it made", () => {
    const made = (ms: number): ShellRun =>
      run("git commit -m x", {
        startedAt: now + ms,
        endedAt: now + ms + 1000,
        commits: [{ hash: "1a2b3c4", subject: "x" }],
      });
    const of = (ms: number) => clocks({ runs: [made(ms)], committedAt: () => now });
    expect(of(3 * hour).offsets.get("s")).toBe(3 * hour + 1000);
    expect(of(0).offsets.size).toBe(0);
    expect(of(0).right.has("s")).toBe(true);
  });

  it("shows in the file that a command makes by its name, whenever else lines showed up there", () => {
    const makes = (at: number) =>
      run("node scripts/make.mjs src/made.ts", { startedAt: at, endedAt: at + 1000, mayWrite: true });
    const sights: [number, string[]][] = [
      [now - 2 * hour, block(1)],
      [now - hour, block(2)],
    ];
    const of = (...runs: ShellRun[]) => clocks({ runs, sights, paths: ["src/made.ts"] });
    expect(of(makes(now + hour), makes(now + 2 * hour)).offsets.get("s")).toBe(3 * hour);
    expect(of(makes(now - hour)).right.has("s")).toBe(true);
    const { offsets, right, unclear } = of(makes(now + 5 * hour));
    expect([offsets.size, right.size, [...unclear]]).toEqual([0, 0, ["s"]]);
  });

  it("is ahead where it wrote after the commit what the commit holds", () => {
    const late = wrote(now + 3 * hour, block(1));
    const { offsets } = clocks({ writes: [late], addedTo: () => keysOf(block(1)) });
    expect(offsets.get("s")).toBe(3 * hour + 1000);
    const held = wrote(now - hour, block(1));
    expect(clocks({ writes: [held], heldSince: () => now - 2 * hour }).offsets.get("s")).toBe(hour);
  });

  it("is not ahead where a session only moves, or comes to, what was there", () => {
    const gone = wrote(now + hour, [], {
      hunks: [{ lines: [], removed: write(block(1)).hunks[0]!.lines }],
    });
    const back = wrote(now + 2 * hour, block(1));
    const added = keysOf(block(1));
    expect(clocks({ writes: [gone, back], addedTo: () => added }).offsets.size).toBe(0);
    const other = wrote(now + hour, block(2));
    expect(clocks({ writes: [other, back], addedTo: () => added }).offsets.size).toBe(0);
  });

  it("is ahead as far as what it wrote is mostly there, though some was changed again", () => {
    const [changed, kept] = [wrote(now + hour, block(1).slice(0, 1)), wrote(now + 2 * hour, block(2))];
    const later = wrote(now + 3 * hour, block(3));
    const { offsets } = clocks({ writes: [changed, kept, later], addedTo: () => keysOf(block(2)) });
    expect(offsets.get("s")).toBe(2 * hour + 1000);
  });

  it("is shared by its subagents", () => {
    const writes = [wrote(now + hour, block(1), { sessionUid: "s/sub" })];
    expect(clocks({ writes, sights: [[now, block(1)]] }).offsets.get("s")).toBe(hour);
  });
});
