import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wrote } from "../../../test/support/attribution-fixture.ts";
import { turn } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { conversation, prompt, ran } from "../../../test/support/turn-fixture.ts";
import type { RunContext } from "../../answers/operation.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { extractCommands } from "../../sessions/commands/commands-of-turn.ts";
import { saveCommands } from "../../store/memory/commands.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { previewUndo } from "./answer.ts";
import { applyUndo, bringBackLatest } from "./apply.ts";
import { wordUndoForAgent } from "./words.ts";

const ann = "11111111-0000-4000-8000-000000000001";
const bob = "22222222-0000-4000-8000-000000000002";

let repo: ReturnType<typeof repositoryWithAgents>;
let project: Project;

beforeEach(() => {
  repo = repositoryWithAgents();
  project = makeNewProject(repo.root);
});
afterEach(() => repo.remove());

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const read = (path: string) => readFileSync(join(repo.root, path), "utf8");
const isThere = (path: string) => existsSync(join(repo.root, path));

/** A session writes files, which are then committed. */
async function commitBy(session: string, message: string, files: Record<string, string>) {
  repo.did(
    session,
    ...Object.entries(files).map(([path, content]) => wrote(join(repo.root, path), content, repo.soon())),
  );
  await repo.commitAndTake(message, files);
}

const begin = text(
  "import { readCart } from './cart.ts';",
  "export const first = readCart(1);",
  "export const last = readCart(9);",
);

describe("undoing a session's work", () => {
  it("takes its lines out of what others committed before and after", async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    const lines = begin.split("\n");
    const byAnn = [lines[0], "export const discount = computeDiscount(cart);", lines[1], lines[2], ""].join(
      "\n",
    );
    await commitBy(ann, "Add a discount", { "a.ts": byAnn });
    const byBob = byAnn.replace(`${lines[2]}\n`, `${lines[2]}\nexport const total = sumOfPrices(cart);\n`);
    await commitBy(bob, "Add a total", { "a.ts": byBob });
    const byPerson = byBob.replace("readCart(1)", "readCart(firstCartNumber)");
    await repo.commitAndTake("Name the first cart", { "a.ts": byPerson });

    const answer = await applyUndo(project, repo.memory, { id: ann.slice(0, 8) });

    expect(read("a.ts")).toBe(byPerson.replace("export const discount = computeDiscount(cart);\n", ""));
    expect(answer).toMatchObject({
      applied: "working tree",
      uncommitted: false,
      commits: [{ subject: "Add a discount" }],
      files: [{ path: "a.ts", action: "changed", lines_removed: 1, lines_restored: 0, conflicts: [] }],
    });
  });

  it("does not name a commit of somebody else that only touches the same file", async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    const added = `${begin}export const discount = computeDiscount(cart);\nexport const bonus = computeBonus(cart);\n`;
    await commitBy(ann, "Add a discount", { "a.ts": added });
    const byPerson = added.replace("computeBonus(cart)", "computeBonusOfPerson(firstCart)");
    await repo.commitAndTake("Compute it otherwise", { "a.ts": byPerson });

    const { commits, files } = await previewUndo({ project, memory: repo.memory }, { id: ann }, {});

    expect(commits).toMatchObject([{ subject: "Add a discount" }]);
    expect(files).toMatchObject([
      {
        lines_removed: 1,
        conflicts: [
          {
            why: "changed since",
            now: ["export const bonus = computeBonusOfPerson(firstCart);"],
            before: [],
          },
        ],
      },
    ]);
  });

  it("leaves what somebody rewrote since, and shows both sides", async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    await commitBy(ann, "Read the second", { "a.ts": begin.replace("readCart(1)", "readCart(secondCart)") });
    const since = begin.replace("readCart(1)", "readCart(thirdCartOfPerson)");
    await repo.commitAndTake("Read the third", { "a.ts": since });

    const answer = await applyUndo(project, repo.memory, { id: ann });

    expect(read("a.ts")).toBe(since);
    expect(answer.applied).toBeNull();
    expect(answer.files).toMatchObject([
      {
        action: "unchanged",
        conflicts: [{ why: "changed since", before: ["export const first = readCart(1);"] }],
      },
    ]);
  });

  it("deletes a file that it made, unless somebody wrote in it", async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    const own = text(
      "export const discount = computeDiscount(cart);",
      "export const bonus = computeBonus(cart);",
    );
    await commitBy(ann, "Add files", { "own.ts": own, "shared.ts": own });
    await repo.commitAndTake("Add", { "shared.ts": `${own}export const byHand = readLimitByHand();\n` });

    await applyUndo(project, repo.memory, { id: ann });

    expect(isThere("own.ts")).toBe(false);
    expect(read("shared.ts")).toBe("export const byHand = readLimitByHand();\n");
  });

  it("takes back what is not committed", async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    const changed = `${begin}export const discount = computeDiscount(cart);\n`;
    repo.did(ann, wrote(join(repo.root, "a.ts"), changed, Date.now()));
    writeFileSync(join(repo.root, "a.ts"), changed);

    const answer = await applyUndo(project, repo.memory, { id: ann });

    expect(answer).toMatchObject({ uncommitted: true, applied: "working tree" });
    expect(read("a.ts")).toBe(begin);
  });

  it("moves a file back, and takes its mode back", async () => {
    await repo.commitAndTake("Begin", { "a.sh": begin });
    repo.did(ann, wrote(join(repo.root, "b.sh"), begin, repo.soon()));
    repo.git("mv", "a.sh", "b.sh");
    chmodSync(join(repo.root, "b.sh"), 0o755);
    await repo.take(repo.commit("Move"));

    const { files } = await previewUndo({ project, memory: repo.memory }, { id: ann }, {});
    expect(files).toMatchObject([{ path: "b.sh", moves_to: "a.sh", action: "unchanged" }]);
    await applyUndo(project, repo.memory, { id: ann });
    expect(isThere("b.sh")).toBe(false);
    expect(statSync(join(repo.root, "a.sh")).mode & 0o111).toBe(0);
  });

  it("takes back one turn alone", async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    const first = `${begin}export const discount = computeDiscount(cart);\n`;
    await commitBy(ann, "One", { "a.ts": first });
    const second = `${first}export const bonus = computeBonus(cart);\n`;
    await commitBy(ann, "Two", { "a.ts": second });

    await applyUndo(project, repo.memory, { id: ann, turn: 1 });

    expect(read("a.ts")).toBe(`${begin}export const bonus = computeBonus(cart);\n`);
  });
});

it("an agent that reads a session is told what of it still stands, and nothing where nothing does", async () => {
  await repo.commitAndTake("Begin", { "a.ts": begin });
  const tell = async () =>
    wordUndoForAgent(await previewUndo({ project, memory: repo.memory }, { id: ann }, {} as RunContext));
  const changed = begin.replace("readCart(1)", "readCart(secondCart)");
  await commitBy(ann, "Read the second", {
    "a.ts": changed,
    "own.ts": text("export const own = readOwn(1);"),
  });
  expect(await tell()).toEqual([
    expect.stringMatching(
      /^Still in the files; `pm undo 11111111` would take it back .*: a\.ts \(1 line out, 1 line back\), own\.ts \(deleted, .*\)$/,
    ),
  ]);
  await repo.commitAndTake("Read the third", { "a.ts": changed.replace("secondCart", "thirdCartOfPerson") });
  expect(await tell()).toEqual([expect.stringMatching(/own\.ts \(.*; 1 place would stay, as others wrote/)]);
  await applyUndo(project, repo.memory, { id: ann });
  expect(await tell()).toEqual([]);
});

it("lists what the session ran that may have done something beyond the files, and nothing that only looks", async () => {
  await repo.commitAndTake("Begin", { "a.ts": begin });
  await commitBy(ann, "Add", { "own.ts": text("export const own = countOwnThings();") });
  const session = findSessionByUid(repo.memory, ann)!;
  for (const one of conversation({ at: repo.soon() }, prompt("go"), ran("git log -1"), ran("npm publish"))) {
    const number = one.number + 10;
    const turnId = saveTurn(repo.memory, session.id, turn(number, { content: packContent(one.lines) }));
    saveCommands(
      repo.memory,
      turnId,
      extractCommands(one, (path) => path),
    );
  }
  const preview = (of: object) =>
    previewUndo({ project, memory: repo.memory }, { id: ann, ...of }, {} as RunContext);
  expect(await preview({})).toMatchObject({ commands: [{ line: "npm publish" }], commands_total: 1 });
  expect(await preview({ turn: 1 })).toMatchObject({ commands: [], commands_total: 0 });
  expect(isThere("own.ts")).toBe(true);
});

describe("bringing it back", () => {
  const changed = `${begin}export const discount = computeDiscount(cart);\n`;
  beforeEach(async () => {
    await repo.commitAndTake("Begin", { "a.ts": begin });
    await commitBy(ann, "One", { "a.ts": changed, "own.ts": text("export const own = readOwnThing(1);") });
    await applyUndo(project, repo.memory, { id: ann });
  });

  it("restores each file, once", async () => {
    expect(await bringBackLatest(project)).toEqual({ session_id: ann, files: ["a.ts", "own.ts"] });
    expect([read("a.ts"), read("own.ts")]).toEqual([changed, "export const own = readOwnThing(1);\n"]);
    await expect(bringBackLatest(project)).rejects.toMatchObject({ code: "not_found" });
  });

  it("restores the rest where undoing was killed in the midst", async () => {
    writeFileSync(join(repo.root, "a.ts"), changed);
    expect(await bringBackLatest(project)).toEqual({ session_id: ann, files: ["a.ts", "own.ts"] });
    expect([read("a.ts"), read("own.ts")]).toEqual([changed, "export const own = readOwnThing(1);\n"]);
  });

  it("knows what was undone in this worktree, and not in another", async () => {
    const other = join(repo.root, "other");
    repo.git("worktree", "add", "--quiet", "--detach", other, "HEAD~1");
    await expect(bringBackLatest(makeNewProject(other))).rejects.toMatchObject({ code: "not_found" });
    expect(readFileSync(join(other, "a.ts"), "utf8")).toBe(begin);
  });

  it("refuses where somebody changed a file since", async () => {
    writeFileSync(join(repo.root, "a.ts"), "mine\n");
    await expect(bringBackLatest(project)).rejects.toMatchObject({ code: "uncommitted_changes" });
    expect(read("a.ts")).toBe("mine\n");
  });
});

it("puts the result on a branch, and leaves the working tree alone", async () => {
  await repo.commitAndTake("Begin", { "a.ts": begin });
  const changed = `${begin}export const discount = computeDiscount(cart);\n`;
  await commitBy(ann, "One", { "a.ts": changed });
  writeFileSync(join(repo.root, "a.ts"), `${changed}mine\n`);

  const answer = await applyUndo(project, repo.memory, { id: ann, branch: "without" });

  expect(answer.applied).toBe("branch");
  expect(read("a.ts")).toBe(`${changed}mine\n`);
  expect(execFileSync("git", ["-C", repo.root, "show", "without:a.ts"], { encoding: "utf8" })).toBe(begin);
  await expect(applyUndo(project, repo.memory, { id: ann, branch: "without" })).rejects.toMatchObject({
    code: "usage",
  });
});

it("takes a file's mode back on a branch, too, and leaves that of another", async () => {
  const [made, changed] = ["made.sh", "changed.sh"].map((path) => join(repo.root, path)) as [string, string];
  await repo.commitAndTake("Begin", { "made.sh": begin, "changed.sh": begin });
  chmodSync(changed, 0o755);
  await repo.take(repo.commit("Make it a program"));
  const more = `${begin}export const discount = computeDiscount(cart);\n`;
  repo.did(ann, wrote(made, more, repo.soon()), wrote(changed, more, repo.soon()));
  for (const path of [made, changed]) writeFileSync(path, more);
  chmodSync(made, 0o755);
  await repo.take(repo.commit("One"));

  await applyUndo(project, repo.memory, { id: ann, branch: "without" });

  const listed = execFileSync("git", ["-C", repo.root, "ls-tree", "without"], { encoding: "utf8" });
  expect(listed).toMatch(/^100644 .*\tmade\.sh$/m);
  expect(listed).toMatch(/^100755 .*\tchanged\.sh$/m);
});

it("leaves a file alone on a branch, too, that is not UTF-8", async () => {
  const path = join(repo.root, "a.ts");
  writeFileSync(path, Buffer.from(`// \u00e9\n${begin}`, "latin1"));
  await repo.commitAndTake("Begin", {});
  const changed = `// \u00e9\n${begin}export const discount = computeDiscount(cart);\n`;
  repo.did(ann, wrote(path, changed, repo.soon()));
  writeFileSync(path, Buffer.from(changed, "latin1"));
  await repo.commitAndTake("One", {});

  const answer = await applyUndo(project, repo.memory, { id: ann, branch: "without" });

  expect(answer.commits).toMatchObject([{ subject: "One" }]);
  expect(answer).toMatchObject({ applied: null, files: [] });
});
