import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { edited } from "../../../test/support/attribution-fixture.ts";
import { chunk, deciding } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { makeNewProject } from "../../base/paths.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import type { ReviewAnswer } from "./operation.ts";
import { findUndoneDecisions, review } from "./review.ts";
import { describeRisks } from "./review-words.ts";
import { reviewAsMarkdown } from "./words.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

const ask = (range = "", memory: Memory | null = repo.memory) =>
  review(makeNewProject(repo.root), memory, { range });

/** Each changed line, with the session that wrote it, or who else. */
const lines = ({ files, authors }: ReviewAnswer) =>
  files.flatMap(({ path, hunks }) =>
    hunks
      .flatMap((hunk) => hunk.lines)
      .filter(({ mark }) => mark !== " ")
      .map(({ mark, text, by }) => {
        const author = by === null ? null : authors[by]!;
        return `${path} ${mark}${text}${author === null ? "" : ` ${author.session_id ?? author.author}`}`;
      }),
  );

const toCommand = (line: string, seq: number) => ({
  seq,
  step: 0,
  at: seq,
  tookMs: 1,
  directory: "",
  line,
  name: line,
  form: line,
  purpose: "",
  outcome: "worked" as const,
  status: 0,
  error: null,
  signatures: [],
});

describe("a review", () => {
  it("of a commit has its lines, who wrote them, and the prompts that led to them", async () => {
    await repo.commitAndTake("before", { "a.ts": "first\nlast\n" });
    repo.did("s", edited(`${repo.root}/a.ts`, ["+agents"], repo.soon()));
    const hash = await repo.commitAndTake("Add lines\n\nFor a reason.", { "a.ts": "first\nagents\nlast\n" });
    const answer = await ask(hash);
    expect(lines(answer)).toEqual(["a.ts +agents s"]);
    expect(answer.commits).toMatchObject([{ hash, subject: "Add lines", body: "For a reason." }]);
    expect(answer.sessions).toMatchObject([{ session_id: "s", lines: 1, turns: [{ turn: 1, lines: 1 }] }]);
    expect(answer.lines).toEqual({ agent: 1, human: 0, unknown: 0 });
    expect(answer.files[0]?.hunks[0]?.lines.map(({ mark, text }) => mark + text)).toEqual([
      " first",
      "+agents",
      " last",
    ]);
  });

  it("of the lines only has the same lines, and says nothing of who wrote them", async () => {
    repo.did("s", edited(`${repo.root}/a.ts`, ["+agents"], repo.soon()));
    const hash = await repo.commitAndTake("Add a line", { "a.ts": "agents\n" });
    const [whole, only] = [
      await ask(hash),
      await review(makeNewProject(repo.root), repo.memory, { range: hash, lines_only: true }),
    ];
    expect(lines(only)).toEqual(["a.ts +agents"]);
    expect(only).toMatchObject({ lines_only: true, authors: [], sessions: [], decisions: [], tests: [] });
    expect(only.lines).toEqual({ agent: 0, human: 0, unknown: 0 });
    expect([only.commits, only.insertions]).toEqual([whole.commits, whole.insertions]);
  });

  it("says which lines of an agent no test followed, where its commands are known", async () => {
    repo.did("s", edited(`${repo.root}/a.ts`, ["+agents"], repo.soon()));
    const hash = await repo.commitAndTake("Add a line", { "a.ts": "agents\n" });
    const answerAfter = async (...lines: string[]) => {
      const { id } = repo.memory.prepare("SELECT id FROM turns LIMIT 1").get() as { id: number };
      saveCommands(repo.memory, id, lines.map(toCommand));
      const answer = await ask(hash);
      return [answer.sessions[0]!.last_test_turn, describeRisks(answer, answer.files[0]!)];
    };
    const none = "no test found for it";
    expect(await answerAfter()).toEqual([null, [none]]);
    expect(await answerAfter("ls")).toEqual([0, ["no test run recorded after agents wrote 1 line", none]]);
    expect(await answerAfter("ls", "npm test")).toEqual([1, [none]]);
  });

  it("of a branch has what it did since it left the default one", async () => {
    await repo.commitAndTake("before", { "a.ts": "first\n" });
    repo.git("checkout", "-q", "-b", "topic");
    await repo.commitAndTake("one", { "a.ts": "first\nsecond\n" });
    await repo.commitAndTake("two", { "b.ts": "other\n" });
    const answer = await ask("topic");
    expect(answer).toMatchObject({ kind: "range", commits_total: 2 });
    expect(answer.files.map(({ path }) => path)).toEqual(["a.ts", "b.ts"]);
    expect((await ask("main..topic")).files).toEqual(answer.files);
  });

  it("of a merge has all that it brought to its first parent", async () => {
    await repo.commitAndTake("before", { "a.ts": "first\n" });
    repo.git("checkout", "-q", "-b", "topic");
    await repo.commitAndTake("one", { "b.ts": "other\n" });
    repo.git("checkout", "-q", "main");
    await repo.commitAndTake("meanwhile", { "c.ts": "more\n" });
    repo.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic");
    const answer = await ask("HEAD");
    expect(answer.files.map(({ path, insertions }) => [path, insertions])).toEqual([["b.ts", 1]]);
    expect(answer.commits.map(({ subject }) => subject)).toContain("one");
    expect(answer.merge?.subject).toBe("Merge topic");
    expect((await ask("main~1..main")).merge).toBeNull();
    expect(reviewAsMarkdown(answer, "HEAD")).toMatch(/^### Merge topic[\s\S]*\n1 commit, 1 file, \\\+1/);
  });

  it("says which decisions were made for it, and what it removes that was written for others", async () => {
    await repo.commitAndTake("before", { "a.ts": "first\n" });
    repo.did("s", edited(`${repo.root}/a.ts`, ["+sorted"], repo.soon()));
    const made = await repo.commitAndTake("Sort", { "a.ts": "first\nsorted\n" });
    replaceChunks(repo.memory, findSession(repo.memory, "s").id, { type: "raw", from: 0 }, [
      chunk(0, "[USER] Let's sort the rows", { ...deciding("Let's sort the rows"), files: ["a.ts"] }),
    ]);
    expect((await ask(made)).decisions).toMatchObject([{ made_here: true, lines_removed: 0 }]);
    repo.did("t", edited(`${repo.root}/a.ts`, ["-sorted", "+shuffled"], repo.soon()));
    const undone = await repo.commitAndTake("Drop it", { "a.ts": "first\nshuffled\n" });
    expect((await ask(undone)).decisions).toMatchObject([{ made_here: false, lines_removed: 1 }]);
    const ofSession = (id: string) => findUndoneDecisions(makeNewProject(repo.root), repo.memory, id);
    expect(await ofSession("t")).toMatchObject([{ text: "Let's sort the rows", removed_at: "a.ts:2" }]);
    expect(await ofSession("s")).toEqual([]);
    await repo.commitAndTake("More", { "a.ts": "first\nmore\n" });
    expect((await ask("HEAD")).decisions).toMatchObject([{ made_here: false, lines_removed: 0 }]);
  });

  it("of the working tree has new files as well, and is empty where all is committed", async () => {
    await repo.commitAndTake("before", { "a.ts": "first\n" });
    expect((await ask()).files).toEqual([]);
    writeFileSync(join(repo.root, "a.ts"), "changed\n");
    writeFileSync(join(repo.root, "new.ts"), "one\ntwo\n");
    const answer = await ask();
    expect(answer).toMatchObject({ kind: "uncommitted", to: null });
    expect(lines(answer).map((line) => line.replace(/ \w+$/, ""))).toEqual([
      "a.ts -first",
      "a.ts +changed",
      "new.ts +one",
      "new.ts +two",
    ]);
  });

  it("says which files are too large to count their lines, whether committed or not", async () => {
    const hash = repo.commit("one", { "large.txt": "l\n".repeat(200_001), "a.ts": "first\n" });
    const note = (name: string) => [`Too large, so their lines are not counted: ${name}.`];
    expect((await ask(hash)).notes).toEqual(note("large.txt"));
    writeFileSync(join(repo.root, "new.txt"), "l\n".repeat(1_000_001));
    expect((await ask()).notes).toEqual(note("new.txt"));
  });

  it("does not read what a new link leads to", async () => {
    await repo.commitAndTake("before", { "a.ts": "first\n" });
    symlinkSync(join(repo.root, "a.ts"), join(repo.root, "link.ts"));
    expect((await ask()).files).toMatchObject([{ path: "link.ts", insertions: 0, hunks: [] }]);
  });

  it("of the commit that a shallow clone begins with is refused: what it changed is not there", async () => {
    repo.commit("one", { "a.ts": "first\n" });
    repo.commit("two", { "a.ts": "second\n" });
    const clone = join(repo.root, "clone");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repo.root}`, clone], { stdio: "pipe" });
    await expect(review(makeNewProject(clone), null, { range: "HEAD" })).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("--unshallow"),
    });
  });

  it("works without a memory, and says what it does not know", async () => {
    const hash = repo.commit("one", { "a.ts": "first\n" });
    expect(lines(await ask(hash, null))).toEqual(["a.ts +first unknown"]);
    await expect(ask("nonsense", null)).rejects.toMatchObject({ code: "not_found" });
  });
});
