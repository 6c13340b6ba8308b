import { describe, expect, it } from "vitest";
import { range } from "../../../test/support/checkpoint-rows-fixture.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { keepKnown } from "./keep-known.ts";

const human = { author: "human", how: "absence", basis: "alone", confidence: 0.95 } as const;
const unknown = { author: "unknown", how: "none", confidence: 0 } as const;
const shell = { how: "shell", confidence: 0.85, sessionUid: "s", turn: 1 } as const;
const a = (more: Partial<AttributionRecord>, first = 1, last = 3) => range("a.ts", first, last, more);
const kept = (now: Partial<AttributionRecord>, before: Partial<AttributionRecord>, wasSeen: boolean) =>
  keepKnown([a(now)], [a(before)], { wasSeen })[0]!;

describe("what was known when files were watched", () => {
  it("stays where a second look finds less", () => {
    expect(kept(unknown, shell, false)).toEqual(a(shell));
    expect(kept({ ...human, basis: "absence" }, shell, false)).toEqual(a(shell));
    expect(kept(unknown, human, false)).toEqual(a(human));
  });

  it("gives way to a tool call, and to what is word for word in one", () => {
    const edit = { sessionUid: "s", turn: 2 };
    expect(kept(edit, human, false)).toEqual(a(edit));
    const verbatim = { ...unknown, basis: "verbatim" as const };
    expect(kept(verbatim, human, false)).toEqual(a(verbatim));
  });

  it("is looked at again while it is still stored", () => {
    expect(kept(unknown, shell, true)).toEqual(a(unknown));
    // A guess by absence was never seen.
    expect(kept(unknown, { ...human, basis: "absence" }, false)).toEqual(a(unknown));
  });
});

it("lines of a forgotten session stay an agent's, piece by piece", () => {
  const forgotten = { author: "agent", sessionUid: null } as const;
  expect(keepKnown([a(human)], [a(forgotten, 2, 2)], { wasSeen: true })).toEqual([
    a(human, 1, 1),
    a(forgotten, 2, 2),
    a(human, 3, 3),
  ]);
});
