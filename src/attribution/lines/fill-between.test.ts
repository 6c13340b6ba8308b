import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { edited, fileOfDiff, write, wrote } from "../../../test/support/attribution-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { cutMiddle, parseLeftOutMark } from "../../agents/reading/bounds.ts";
import { TurnActivity } from "../evidence/turn-activity.ts";
import { countConsumedLines, fillBetween, isCut } from "./fill-between.ts";
import { computeLineKey } from "./line-keys.ts";
import { type AuthorVerdict, makeAgentVerdict, makeHumanVerdict, makeUnknownVerdict } from "./verdict.ts";
import { findWrittenLines } from "./written.ts";

const agents = makeAgentVerdict({ sessionUid: "s", turn: 1, toolUse: "t", model: null }, "edit", "written");
const persons = makeHumanVerdict("alone");

/** Who has each line of a diff, by the verdicts for the lines that have a word. */
function authors(lines: readonly string[], verdicts: Record<string, AuthorVerdict>): string[] {
  const file = fileOfDiff(lines.map((line) => `+${line}`));
  const known = file.lines.flatMap(({ bare }, i): [number, AuthorVerdict][] =>
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
      "?": makeUnknownVerdict(),
    } as Record<string, AuthorVerdict>;
    const file = fileOfDiff(diff);
    const verdicts = new Map<number, AuthorVerdict>();
    file.lines.forEach(({ line }, i) => {
      const verdict = who[said[line - 1]!];
      if (verdict) verdicts.set(i, verdict);
    });
    const byLine = fillBetween(file, verdicts);
    const letter = (verdict: AuthorVerdict | undefined) =>
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

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

const ownLine = "export const rounded = Math.round(total(cart));";
const others = (word: string) => `${word}.start();\n${word}.stop();\n`;

async function consumedAt(parent: string): Promise<Record<string, [number, number][]>> {
  const { root, memory } = repo;
  const writes = new TurnActivity(memory, { root, worktrees: [] }).findWritesTo(
    ["a.ts", "b.ts"],
    repo.now() + 3_600_000,
  );
  const consumed = await countConsumedLines({ memory, root }, parent, writes);
  return Object.fromEntries([...consumed].map(([call, keys]) => [call, [...keys]]));
}

it("a line in history is used up for later changes, and for nothing else", async () => {
  const first = await repo.commitAndTake("First", { "b.ts": others("before") });
  repo.did("s", wrote(`${repo.root}/a.ts`, `${ownLine}\n`, repo.soon()));
  const second = await repo.commitAndTake("Second", { "a.ts": `${ownLine}\n` });
  expect(repo.authors(second, "a.ts")).toEqual({ 1: "s edit" });
  const used = { "s:1:1": [[computeLineKey(ownLine), 1]] };
  expect(await consumedAt(first)).toEqual({});
  expect(await consumedAt(second)).toEqual(used);
  const third = await repo.commitAndTake("Third", { "a.ts": others("after") });
  expect(await consumedAt(third)).toEqual(used);

  // Whoever adds it again is not its first writer; it is still word for word an agent's.
  const again = await repo.commitAndTake("Again", { "a.ts": `${others("after")}${ownLine}\n` });
  expect(repo.authors(again, "a.ts")).toEqual({ 3: "unknown none" });

  // A branch that forks off before it does not have the line yet.
  repo.git("checkout", "--quiet", "-b", "side", first);
  const aside = await repo.commitAndTake("Aside", { "b.ts": `${others("before")}aside();\n` });
  expect(await consumedAt(aside)).toEqual({});
  const there = await repo.commitAndTake("There", { "a.ts": `${ownLine}\n` });
  expect(repo.authors(there, "a.ts")).toEqual({ 1: "s edit" });
});

it("a line that was written twice, and committed once, is left once", async () => {
  await repo.commitAndTake("First", { "a.ts": others("one") });
  repo.did("s", edited(`${repo.root}/a.ts`, [` one.start();`, `+${ownLine}`, " one.stop();"], repo.soon()));
  const second = await repo.commitAndTake("Second", { "a.ts": `one.start();\n${ownLine}\none.stop();\n` });
  repo.did("s", edited(`${repo.root}/a.ts`, [" one.stop();", `+${ownLine}`], repo.soon()));
  const third = await repo.commitAndTake("Third", {
    "a.ts": `one.start();\n${ownLine}\none.stop();\n${ownLine}\n`,
  });
  expect(repo.authors(third, "a.ts")).toEqual({ 4: "s edit" });
  expect(await consumedAt(second)).toEqual({ "s:1:1": [[computeLineKey(ownLine), 1]] });
  expect(await consumedAt(third)).toEqual({
    "s:1:1": [[computeLineKey(ownLine), 1]],
    "s:2:1": [[computeLineKey(ownLine), 1]],
  });
});

it("moved lines are not used up once more", async () => {
  repo.did("s", wrote(`${repo.root}/a.ts`, `${ownLine}\n${others("one")}`, repo.soon()));
  await repo.commitAndTake("First", { "a.ts": `${ownLine}\n${others("one")}` });
  const moved = await repo.commitAndTake("Move", { "a.ts": `${others("one")}${ownLine}\n` });
  expect(Object.values(repo.authors(moved, "a.ts")).every((who) => who === "s moved")).toBe(true);
  expect((await consumedAt(moved))["s:1:1"]).toContainEqual([computeLineKey(ownLine), 1]);
});

it("nothing is used up where git does not know the commit before", async () => {
  repo.did("s", wrote(`${repo.root}/a.ts`, `${ownLine}\n`, repo.soon()));
  await repo.commitAndTake("First", { "a.ts": `${ownLine}\n` });
  expect(await consumedAt("1".repeat(40))).toEqual({});
});

const lines = Array.from({ length: 400 }, (_, i) => `const value${i} = compute(${i * 7}, "name ${i}");`);
const cut = cutMiddle(lines.join("\n"), 3000).split("\n");
const found = (now: readonly string[]) => {
  const file = fileOfDiff(
    now.map((line) => `+${line}`),
    { status: "A" },
  );
  return [...findWrittenLines(file, [write(cut)], new Map(), 0).keys()].length;
};

it("a mark says how much was left out, also without its blanks", () => {
  expect(parseLeftOutMark(cutMiddle("x".repeat(50), 10).split("\n")[1]!)).toBe(40);
  expect(parseLeftOutMark("[...40charactersleftout...]")).toBe(40);
  expect(parseLeftOutMark("// [... 40 characters left out ...]")).toBe(null);
  expect([isCut(write(cut)), isCut(write(lines))]).toEqual([true, false]);
});

it("lines between a beginning and an end that were kept are those that were left out", () => {
  expect(cut.length).toBeLessThan(100);
  expect(found(lines)).toBe(400);
});

it("unless there are others in their place", () => {
  const others = Array.from(
    { length: 100 },
    (_, i) => `// ${i} another line that somebody else wrote by hand`,
  );
  expect(found([...lines.slice(0, 200), ...others, ...lines.slice(200)])).toBeLessThan(100);
  expect(found([...lines.slice(0, 100), ...lines.slice(300)])).toBeLessThan(100);
});
