import { describe, expect, it } from "vitest";
import { fileOfDiff } from "../../../test/support/attribution-fixture.ts";
import { fillBetween } from "./fill-between.ts";
import { byAgent, human, unknown, type Verdict } from "./verdict.ts";

const agents = byAgent({ sessionUid: "s", turn: 1, toolUse: "t", model: null }, "edit", "written");
const persons = human("alone");

/** Who has each line of a diff, by the verdicts for the lines that have a word. */
function authors(lines: readonly string[], verdicts: Record<string, Verdict>): string[] {
  const file = fileOfDiff(lines.map((line) => `+${line}`));
  const known = file.lines.flatMap(({ bare }, i): [number, Verdict][] =>
    verdicts[bare] === undefined ? [] : [[i, verdicts[bare]]],
  );
  const filled = fillBetween(file, new Map(known));
  return lines.map((_, i) => filled.get(i + 1)?.author ?? "none");
}

it("brackets and blank lines are of who wrote what they close, or what they are beside", () => {
  const both = { "first()": agents, "mine()": persons };
  const of = (...lines: string[]) => authors(lines, both).join(" ");
  expect(of("first();", "}", "", "first();")).toBe("agent agent agent agent");
  expect(of("first();", "}", "", "mine();")).toBe("agent agent agent human");
  expect(of("mine();", "}", "")).toBe("human human human");
  // The person's, or left of what the agent wrote there before.
  expect(of("mine();", "}", "", "first();")).toBe("human human unknown agent");
});

describe("brackets and blank lines", () => {
  /** What the letters say of added lines (a: an agent's, h: a human's, ?: unknown, -: nothing), filled. */
  function filled(diff: readonly string[], said: string): string {
    const who = {
      a: agents,
      h: persons,
      "?": unknown(),
    } as Record<string, Verdict>;
    const file = fileOfDiff(diff);
    const verdicts = new Map<number, Verdict>();
    file.lines.forEach(({ line }, i) => {
      const verdict = who[said[line - 1]!];
      if (verdict) verdicts.set(i, verdict);
    });
    const byLine = fillBetween(file, verdicts);
    const letter = (verdict: Verdict | undefined) =>
      Object.keys(who).find((each) => who[each] === verdict) ?? "-";
    const count = diff.filter((line) => !line.startsWith("-")).length;
    return Array.from({ length: count }, (_, i) => letter(byLine.get(i + 1))).join("");
  }
  const said = "+something.isSaidHere();";

  it("get the author of the lines around them", () => {
    expect(filled([said, "+", "+}", said], "a--a")).toBe("aaaa");
    expect(filled([said, "+}", "+", said], "a--h")).toBe("aaah");
    expect(filled(["+", "+}", said], "--h")).toBe("hhh");
    expect(filled([said, "+}", "+"], "a--")).toBe("aaa");
  });

  it("keep their own verdicts", () => {
    expect(filled([said, "+}", said], "aha")).toBe("aha");
    expect(filled([said, "+}", said], "a?a")).toBe("a?a");
  });

  it("have no author if the lines around have none, or are in another hunk", () => {
    expect(filled(["+", "+}"], "--")).toBe("--");
    expect(filled([said, " context();", "+}"], "a--")).toBe("a--");
    expect(filled([said, " }", "+", "+}", " context();", said], "a----h")).toBe("a----h");
  });

  it("do not reach over an unknown line", () => {
    expect(filled([said, said, "+}", said], "a--a")).toBe("a-aa");
    expect(filled([said, "+}", said], "a--")).toBe("a--");
    expect(filled([said, said, "+}"], "a--")).toBe("a--");
  });
});
