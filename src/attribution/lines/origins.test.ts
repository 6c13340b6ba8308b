import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { edited, fileOfDiff, wrote } from "../../../test/support/attribution-fixture.ts";
import { addCommit, linesOfSession } from "../../../test/support/checkpoint-rows-fixture.ts";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { listAttributions, saveAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { computeLineKey } from "./line-keys.ts";
import { inheritVerdicts } from "./origins.ts";

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const byAgent = ["export function total(cart) {", "  return sumOf(cart.items, priceOf);", "}"];
const byHuman = ["export function most(cart) {", "  return maxOf(cart.items, amountOf);", "}"];
const filler = Array.from({ length: 8 }, (_, i) => `setting.number${i} = "as it was, ${i}";`);

describe("a line that was there before keeps its author", () => {
  let repo: ReturnType<typeof repositoryWithAgents>;
  /** An agent's function, many lines, and a human's function. */
  let first: string;
  beforeAll(async () => {
    repo = repositoryWithAgents();
    repo.did("s", wrote(`${repo.root}/a.ts`, text(...byAgent), repo.now() + 5000));
    first = await repo.commitAndTake("First", { "a.ts": text(...byAgent, ...filler, ...byHuman) });
    expect(repo.authors(first, "a.ts")).toMatchObject({
      1: "s edit",
      3: "s edit",
      4: "human absence",
      14: "human absence",
    });
  });
  beforeEach(() => repo.git("checkout", "--quiet", "--detach", first));
  afterAll(() => repo.remove());

  it("anywhere in the file where a human moves it", async () => {
    const hash = await repo.commitAndTake("Move", { "a.ts": text(...filler, ...byHuman, ...byAgent) });
    const authors = repo.authors(hash, "a.ts");
    const moved = Object.values(authors);
    expect(moved.length).toBeGreaterThan(0);
    // Git may say that the one, or that the other was moved.
    for (const [line, who] of Object.entries(authors)) {
      expect(who, line).toBe(Number(line) >= 12 ? "s moved" : "human moved");
    }
    expect(repo.bound(hash)).not.toContain("s lines");
    const [record] = listAttributions(repo.memory, findCommitByHash(repo.memory, hash)!.id, "a.ts");
    expect(record).toMatchObject({ turn: 1, toolUse: "s:1:1", model: "big-model" });
  });

  it("in another file, moved by anyone", async () => {
    const moving = [wrote(`${repo.root}/b.ts`, text(...byHuman), repo.soon())];
    repo.did(
      "t",
      ...moving,
      edited(
        `${repo.root}/a.ts`,
        byHuman.map((line) => `-${line}`),
        repo.soon() + 1000,
      ),
    );
    const hash = await repo.commitAndTake("Move", {
      "a.ts": text(...byAgent, ...filler),
      "b.ts": text(...byHuman),
    });
    expect(repo.authors(hash, "b.ts")).toEqual({ 1: "human moved", 2: "human moved", 3: "human moved" });
  });

  it("in another shape", async () => {
    const shaped = [
      "export function total(cart) {",
      "  return sumOf(",
      "    cart.items,",
      "    priceOf,",
      "  )",
      "}",
    ];
    const hash = await repo.commitAndTake("Format", { "a.ts": text(...shaped, ...filler, ...byHuman) });
    expect(repo.authors(hash, "a.ts")).toEqual({ 2: "s moved", 3: "s moved", 4: "s moved", 5: "s moved" });
  });

  it("after the file was renamed", async () => {
    await repo.commitAndTake("Rename", { "a.ts": null, "c.ts": text(...byAgent, ...filler, ...byHuman) });
    const hash = await repo.commitAndTake("Move", { "c.ts": text(...filler, ...byAgent, ...byHuman) });
    const authors = Object.entries(repo.authors(hash, "c.ts"));
    expect(authors.length).toBeGreaterThan(0);
    for (const [line, who] of authors) expect(who).toBe(Number(line) > 8 ? "s moved" : "human moved");
  });

  it("and a line that only replaces it does not", async () => {
    const other = byAgent.with(1, "  throw new Unsupported('total');");
    const hash = await repo.commitAndTake("Change", { "a.ts": text(...other, ...filler, ...byHuman) });
    expect(repo.authors(hash, "a.ts")).toEqual({ 2: "human absence" });
  });
});

describe("verdicts of replaced commits", () => {
  let memory: Memory;
  let remove: () => void;
  beforeEach(() => {
    ({ memory, remove } = temporaryMemory());
  });
  afterEach(() => remove());

  const record = (firstLine: number, lastLine: number, sessionUid: string | null) =>
    linesOfSession(sessionUid, firstLine, lastLine, { confidence: 0.9 });
  function remember(hash: string, lines: string[], records: AttributionRecord[], path = "a.ts") {
    const added = lines.map((line, i) => ({ line: i + 1, key: computeLineKey(line) }));
    const file = { path, oldPath: null, status: "M", insertions: added.length, deletions: 0, added };
    saveAttributions(
      memory,
      addCommit(memory, hash, {}, [file]).id,
      records.map((each) => ({ ...each, path })),
    );
  }
  const inherited = (diff: string[], ...hashes: string[]) => {
    const file = fileOfDiff(diff, { oldPath: "old.ts" });
    return [...inheritVerdicts(memory, hashes, file)].map(([i, { verdict }]) => [
      file.lines[i]!.line,
      `${verdict.sessionUid} ${verdict.how} ${verdict.confidence}`,
    ]);
  };
  const lines = [...byAgent, ...filler];
  const diff = lines.map((line) => `+${line}`);

  it("apply to their lines, at any place", () => {
    remember("one", lines, [record(1, 3, "s"), record(4, 11, null)]);
    expect(inherited([" other();", ...diff], "one")).toEqual([
      [2, "s inherited 0.9"],
      [3, "s inherited 0.9"],
      [4, "s inherited 0.9"],
    ]);
  });

  it("apply per commit if there are several", () => {
    remember("one", byAgent, [record(1, 3, "s")]);
    remember("two", filler, [record(1, 8, "t")]);
    const said = inherited(diff, "one", "two");
    expect(said.map(([, who]) => String(who)[0]).join("")).toBe("ssstttttttt");
  });

  it("apply by the file's earlier name", () => {
    remember("one", byAgent, [record(1, 3, "s")], "old.ts");
    remember("two", byAgent, [record(1, 3, "t")], "other.ts");
    expect(inherited(diff, "one", "two").map(([line]) => line)).toEqual([1, 2, 3]);
  });

  it("are empty for unknown commits, and for commits without verdicts", () => {
    remember("one", lines, []);
    expect(inherited(diff, "one", "two")).toEqual([]);
    expect(inherited(diff)).toEqual([]);
  });
});
