import { afterEach, beforeEach, expect, it } from "vitest";
import { edited, wrote } from "../../../test/support/attribution-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { TurnActivity } from "../evidence/turn-activity.ts";
import { consumedBefore } from "./fill-between.ts";
import { lineKey } from "./line-keys.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

const ownLine = "export const rounded = Math.round(total(cart));";
const others = (word: string) => `${word}.start();\n${word}.stop();\n`;

async function consumedAt(parent: string): Promise<Record<string, [number, number][]>> {
  const { root, memory } = repo;
  const writes = new TurnActivity(memory, { root, worktrees: [] }).writesTo(
    ["a.ts", "b.ts"],
    repo.now() + 3_600_000,
  );
  const consumed = await consumedBefore({ memory, root }, parent, writes);
  return Object.fromEntries([...consumed].map(([call, keys]) => [call, [...keys]]));
}

it("a line in history is used up for later changes, and for nothing else", async () => {
  const first = await repo.commitAndTake("First", { "b.ts": others("before") });
  repo.did("s", wrote(`${repo.root}/a.ts`, `${ownLine}\n`, repo.soon()));
  const second = await repo.commitAndTake("Second", { "a.ts": `${ownLine}\n` });
  expect(repo.authors(second, "a.ts")).toEqual({ 1: "s edit" });
  const used = { "s:1:1": [[lineKey(ownLine), 1]] };
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
  expect(await consumedAt(second)).toEqual({ "s:1:1": [[lineKey(ownLine), 1]] });
  expect(await consumedAt(third)).toEqual({
    "s:1:1": [[lineKey(ownLine), 1]],
    "s:2:1": [[lineKey(ownLine), 1]],
  });
});

it("moved lines are not used up once more", async () => {
  repo.did("s", wrote(`${repo.root}/a.ts`, `${ownLine}\n${others("one")}`, repo.soon()));
  await repo.commitAndTake("First", { "a.ts": `${ownLine}\n${others("one")}` });
  const moved = await repo.commitAndTake("Move", { "a.ts": `${others("one")}${ownLine}\n` });
  expect(Object.values(repo.authors(moved, "a.ts")).every((who) => who === "s moved")).toBe(true);
  expect((await consumedAt(moved))["s:1:1"]).toContainEqual([lineKey(ownLine), 1]);
});

it("nothing is used up where git does not know the commit before", async () => {
  repo.did("s", wrote(`${repo.root}/a.ts`, `${ownLine}\n`, repo.soon()));
  await repo.commitAndTake("First", { "a.ts": `${ownLine}\n` });
  expect(await consumedAt("1".repeat(40))).toEqual({});
});
