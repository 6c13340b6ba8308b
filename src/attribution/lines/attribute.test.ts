import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Act,
  change,
  edited,
  forgetAll,
  ran,
  rememberTurn,
  replied,
  wrote,
} from "../../../test/support/attribution-fixture.ts";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { streamChangedFiles } from "../../git/diff/changes.ts";
import type { ChangedFile } from "../../git/diff/changes-types.ts";
import { listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import { saveObservation } from "../../store/memory/observations.ts";
import { attributeChange } from "./attribute.ts";
import { computeLineKey } from "./line-keys.ts";

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const total = ["export function total(cart) {", "  return sumOf(cart.items, priceOf);", "}"];
const most = ["export function most(cart) {", "  return maxOf(cart.items, amountOf);", "}"];
const byHand = ["export const limit = readLimit(settings, 'cart');"];

it("every added line of every text file is in one range, in order", async () => {
  const { memory, remove } = temporaryMemory();
  const root = mkdtempSync(join(tmpdir(), "pommel-attribute-"));
  const line = fc.constantFrom(...total, ...most, ...byHand, "", "}", "  ", 'x = "y";', "return;\r");
  const lines = fc.array(line, { maxLength: 12 });
  const gap = fc.integer({ min: 1, max: 5 });
  const hunks = fc.array(fc.record({ removed: lines, added: lines, gap }), { maxLength: 5 }).map((all) => {
    let [oldStart, newStart] = [1, 1];
    return all.map(({ removed, added, gap: between }) => {
      const hunk = { oldStart: oldStart + between, newStart: newStart + between, removed, added };
      oldStart = hunk.oldStart + removed.length;
      newStart = hunk.newStart + added.length;
      return hunk;
    });
  });
  const files = fc.uniqueArray(
    fc.record({ path: fc.constantFrom("a.ts", "b/c.py", "d.ipynb", "e\nf.md"), hunks }),
    {
      selector: ({ path }) => path,
    },
  );
  const acts = fc.array(
    fc.oneof(
      lines.map((said): Act => wrote("/repo/a.ts", said.join("\n"), 50_000)),
      lines.map(
        (said): Act =>
          edited(
            "/repo/b/c.py",
            said.map((each) => `+${each}`),
            60_000,
          ),
      ),
      fc.constant(ran("sed -i s/a/b/ a.ts", 70_000, 75_000)),
    ),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(files, acts, fc.boolean(), lines, async (changed, done, isOwn, seen) => {
      forgetAll(memory);
      rememberTurn(memory, "s", done);
      saveObservation(memory, { path: "a.ts", at: 72_000, keys: seen.map(computeLineKey) });
      const all = changed.map((file): ChangedFile => ({ ...file, oldPath: null, status: "M", isText: true }));
      const of = change({ hash: null, parent: null, isOwn, files: all });
      const { ranges, bindings } = await attributeChange({ memory, root, worktrees: [] }, of);
      const covered = ranges.flatMap(({ path, firstLine, lastLine }) => {
        expect(lastLine).toBeGreaterThanOrEqual(firstLine);
        return Array.from({ length: lastLine - firstLine + 1 }, (_, i) => `${path}:${firstLine + i}`);
      });
      expect(covered).toEqual(
        changed.flatMap(({ path, hunks: each }) =>
          each.flatMap(({ newStart, added }) => added.map((_, i) => `${path}:${newStart + i}`)),
        ),
      );
      for (const { author, sessionUid, turn, confidence } of ranges) {
        expect([sessionUid, turn]).toEqual(author === "agent" ? ["s", 1] : [null, null]);
        expect(confidence === 0).toBe(author === "unknown");
      }
      for (const { sessionUid } of bindings) expect(sessionUid).toBe("s");
    }),
    { numRuns: 20 },
  );
  remove();
  rmSync(root, { recursive: true });
});

describe("in a repository", () => {
  let repo: ReturnType<typeof repositoryWithAgents>;
  beforeEach(() => {
    repo = repositoryWithAgents();
  });
  afterEach(() => repo.remove());
  const path = (name: string) => join(repo.root, name);

  it("two agents and a human at once get their own lines", async () => {
    repo.did("one", wrote(path("a.ts"), text(...total), repo.soon()));
    repo.did("two", wrote(path("b.ts"), text(...most), repo.soon()), ran("echo 'two' > c.txt", repo.soon()));
    const hash = await repo.commitAndTake("All", {
      "a.ts": text(...total, "", ...byHand),
      "b.ts": text(...most),
      "c.txt": "two\n",
    });
    expect(repo.authors(hash, "a.ts")).toEqual({
      1: "one edit",
      2: "one edit",
      3: "one edit",
      4: "one edit",
      5: "human absence",
    });
    expect(repo.authors(hash, "b.ts")).toMatchObject({ 1: "two edit", 3: "two edit" });
    expect(repo.bound(hash).sort()).toEqual(["one lines", "two lines"]);
  });

  it("lines that end in carriage returns, binary files, names with line feeds", async () => {
    const odd = "line\nfeed.ts";
    repo.did(
      "s",
      wrote(path("a.ts"), text(...total), repo.soon()),
      wrote(path(odd), text(...most), repo.soon()),
    );
    const crlf = [...total, ...byHand].map((line) => `${line}\r\n`).join("");
    writeFileSync(path("image.bin"), Buffer.from([0, 1, 2, 0, 255]));
    const hash = await repo.commitAndTake("Odd", { "a.ts": crlf, [odd]: text(...most, ...byHand) });
    const theirs = { 1: "s edit", 2: "s edit", 3: "s edit", 4: "human absence" };
    expect(repo.authors(hash, "a.ts")).toEqual(theirs);
    expect(repo.authors(hash, odd)).toEqual(theirs);
    expect(repo.authors(hash, "image.bin")).toEqual({});

    writeFileSync(path("image.bin"), Buffer.from([0, 3, 3, 0, 255]));
    repo.did("t", ran("git commit -qam Image", repo.now() + 59_000, repo.now() + 61_000));
    const image = await repo.commitAndTake("Image");
    expect(repo.bound(image)).toEqual(["t command"]);
  });

  it("uncommitted changes", async () => {
    await repo.commitAndTake("First", { "a.ts": text(...most) });
    repo.did("s", edited(path("a.ts"), [" }", ...total.map((line) => `+${line}`)], repo.soon()));
    writeFileSync(path("a.ts"), text(...byHand, ...most, ...total));
    const { memory, root } = repo;
    const files: ChangedFile[] = [];
    for await (const file of streamChangedFiles(root, { from: "HEAD", to: null })) files.push(file);
    const now = repo.now() + 30_000;
    const parent = repo.git("rev-parse", "HEAD");
    const of = change({ hash: null, authoredAt: now, committedAt: now, parent, files });
    const { ranges, bindings } = await attributeChange({ memory, root, worktrees: [] }, of);
    expect(ranges.map(({ firstLine, lastLine, author }) => [firstLine, lastLine, author])).toEqual([
      [1, 1, "human"],
      [5, 7, "agent"],
    ]);
    expect(bindings).toMatchObject([{ sessionUid: "s", lines: 3, how: "lines" }]);
  });

  it("for a merge the lines that no parent has", async () => {
    const base = await repo.commitAndTake("Base", { "a.ts": text("start();", "middle();", "end();") });
    await repo.commitAndTake("Ours", { "a.ts": text("start();", "ourMiddle(one, two);", "end();") });
    repo.git("checkout", "--quiet", "-b", "side", base);
    await repo.commitAndTake("Theirs", {
      "a.ts": text("start();", "theirMiddle(one);", "end();"),
      "b.ts": text(...most),
    });
    repo.git("checkout", "--quiet", "main");
    expect(() => repo.git("merge", "--quiet", "side")).toThrow();
    const solved = "bothMiddles(one, two, sideBySide);";
    repo.did("s", edited(path("a.ts"), [" start();", `+${solved}`, " end();"], repo.soon()));
    const hash = await repo.commitAndTake("Merge", { "a.ts": text("start();", solved, "end();") });
    expect(repo.git("show", "-s", "--format=%P").split(" ")).toHaveLength(2);
    expect(repo.authors(hash, "a.ts")).toEqual({ 2: "s edit" });
    expect(repo.authors(hash, "b.ts")).toEqual({});
    expect(repo.bound(hash)).toEqual(["s lines"]);
  });

  it("a commit that only removes what an agent removed is bound to it", async () => {
    await repo.commitAndTake("First", { "a.ts": text(...total, ...most) });
    repo.did("s", edited(path("a.ts"), [...total.map((line) => `-${line}`), ` ${most[0]}`], repo.soon()));
    const hash = await repo.commitAndTake("Remove", { "a.ts": text(...most) });
    expect(repo.authors(hash, "a.ts")).toEqual({});
    expect(repo.bound(hash)).toEqual(["s removed"]);
  });

  it("a block that an agent wrote into one file and a human put into another keeps its writer", async () => {
    const block = [...total, ...most];
    repo.did("s", wrote(path("a.ts"), text(...block), repo.soon()));
    const hash = await repo.commitAndTake("Paste", { "a.ts": text(...byHand), "b.ts": text(...block) });
    expect(Object.values(repo.authors(hash, "b.ts"))).toEqual(block.map(() => "s moved"));
    expect(repo.bound(hash)).toEqual(["s lines"]);
  });

  it("the code of a reply that a person pasted is of who replied", async () => {
    const block = [...total, ...most];
    await repo.commitAndTake("First", { "b.ts": text(...byHand) });
    repo.did("s", replied(`Like this:\n\n\`\`\`ts\n${text(...block)}\`\`\`\n`, repo.soon()));
    const hash = await repo.commitAndTake("Paste", { "a.ts": text(...byHand, ...block) });
    expect(repo.authors(hash, "a.ts")[1]).toBe("human absence");
    for (let line = 2; line <= block.length + 1; line++) {
      expect(repo.authors(hash, "a.ts")[line]).toBe("s moved");
    }
    const ranges = listAttributions(repo.memory, findCommitByHash(repo.memory, hash)!.id, "a.ts");
    expect(ranges[1]).toMatchObject({ basis: "replied", toolUse: null, turn: 1 });
  });

  it("a block of an agent's that is in the file's history is its, where somebody copies it", async () => {
    const block = [...total, ...most];
    repo.did("s", wrote(path("a.ts"), text(...block), repo.soon()));
    await repo.commitAndTake("First", { "a.ts": text(...block) });
    // What the agent did is not stored any more, but whose the lines are.
    forgetAll(repo.memory);
    rememberTurn(repo.memory, "first", [ran("ls", repo.now() - 3_600_000)]);
    const hash = await repo.commitAndTake("Copy", { "a.ts": text(...block, "", ...byHand, ...block) });
    const authors = Object.values(repo.authors(hash, "a.ts"));
    expect(authors.filter((who) => who === "s moved")).toHaveLength(block.length);
    expect(authors.filter((who) => who === "human absence")).toHaveLength(2);
  });

  it("of a file that a script wrote with its text, other lines are not the script's", async () => {
    const script = ["python3 - <<'PY'", "from pathlib import Path", 'Path("a.ts").write_text("""', ...total];
    await repo.commitAndTake("First", { "b.ts": text(...most) });
    repo.did("s", ran([...script, '""")', "PY"].join("\n"), repo.soon()));
    const hash = await repo.commitAndTake("Second", { "a.ts": text(...total, ...byHand) });
    expect(repo.authors(hash, "a.ts")).toMatchObject({ 1: "s shell", 2: "s shell", 4: "human absence" });
  });

  it("a short line between a person's is theirs, though a call wrote such a line", async () => {
    const short = "  retries += 1;";
    const own = ["const mine = readMine(settings);", "const other = readOther(settings);"];
    repo.did("s", wrote(path("a.ts"), text(short, short), repo.soon()));
    saveObservation(repo.memory, {
      path: "a.ts",
      at: repo.soon() - 60_000,
      keys: [...own, short].map(computeLineKey),
    });
    const hash = await repo.commitAndTake("First", { "a.ts": text(own[0]!, short, own[1]!) });
    expect(new Set(Object.values(repo.authors(hash, "a.ts")))).toEqual(new Set(["human absence"]));
  });

  it("a short line that no call has is a person's, as a longer one is", async () => {
    await repo.commitAndTake("First", { "a.md": text("first of all", "last of all") });
    repo.did("s", edited(path("b.md"), ["+## Usage"], repo.soon()));
    const now = text("first of all", "## Notes", "last of all", "## Usage");
    const hash = await repo.commitAndTake("Second", { "a.md": now });
    expect(repo.authors(hash, "a.md")).toEqual({ 2: "human absence", 4: "unknown none" });
  });

  it("a long line of which less than half was changed has no one author, whoever changed it", async () => {
    const values = Array.from({ length: 60 }, (_, i) => `"key${i}":"value${i}"`);
    const one = (parts: string[]) => `{${parts.join(",")}}`;
    const writeBoth = (a: string[], b: string[]) => ({ "a.json": text(one(a)), "b.json": text(one(b)) });
    const edit = (from: string[], to: string[]) =>
      repo.did("s", edited(path("a.json"), [`-${one(from)}`, `+${one(to)}`], repo.soon()));
    await repo.commitAndTake("First", writeBoth(values, values));
    const changed = [...values.slice(0, 59), '"key59":"another value"'];
    edit(values, changed);
    const hash = await repo.commitAndTake("Second", writeBoth(changed, [...changed].reverse()));
    const { id } = findCommitByHash(repo.memory, hash)!;
    for (const file of ["a.json", "b.json"])
      expect(listAttributions(repo.memory, id, file)).toMatchObject([
        { author: "unknown", basis: "several" },
      ]);
    const anew = Array.from({ length: 60 }, (_, i) => `"name_${i}":[${i}, "text ${i}"]`);
    edit(changed, anew);
    const third = await repo.commitAndTake("Third", writeBoth(anew, changed));
    expect(repo.authors(third, "a.json")).toEqual({ 1: "s edit" });
  });

  it("an amended commit inherits verdicts, and adds new ones", async () => {
    repo.did("s", wrote(path("a.ts"), text(...total), repo.soon()));
    const first = await repo.commitAndTake("First", { "a.ts": text(...total) });
    // The agent's actions are not stored any more, but the authors of the lines are.
    forgetAll(repo.memory);
    repo.did(
      "t",
      edited(
        path("a.ts"),
        most.map((line) => `+${line}`),
        repo.soon(),
      ),
    );
    writeFileSync(path("a.ts"), text(...total, ...most));
    repo.wait(1);
    repo.git("commit", "--quiet", "--amend", "--all", "--message", "Amended");
    const hash = await repo.take(repo.git("rev-parse", "HEAD"), { seen: "hook", rewrittenFrom: [first] });
    expect(repo.authors(hash, "a.ts")).toEqual({
      ...Object.fromEntries([1, 2, 3].map((line) => [line, "s inherited"])),
      ...Object.fromEntries([4, 5, 6].map((line) => [line, "t edit"])),
    });
  });

  it("a line that showed up before the agent wrote it is not the agent's", async () => {
    const short = "retries += 1;";
    repo.did(
      "s",
      wrote(path("a.ts"), text(...total), repo.soon()),
      wrote(path("b.ts"), text(short), repo.soon()),
    );
    const seen = (name: string, lines: string[], at: number) =>
      saveObservation(repo.memory, { path: name, at, keys: lines.map(computeLineKey) });
    seen("a.ts", total.slice(0, 1), repo.soon() - 60_000);
    seen("a.ts", total.slice(1), repo.soon() + 100);
    seen("b.ts", [short], repo.soon() - 60_000);
    const hash = await repo.commitAndTake("First", { "a.ts": text(...total), "b.ts": text(short) });
    // A distinctive line is the same, regardless of observations: then the author is unknown.
    expect(repo.authors(hash, "a.ts")).toEqual({ 1: "unknown none", 2: "s edit", 3: "s edit" });
    const [first] = listAttributions(repo.memory, findCommitByHash(repo.memory, hash)!.id, "a.ts");
    expect(first).toMatchObject({ firstLine: 1, basis: "several" });
    expect(repo.authors(hash, "b.ts")).toEqual({ 1: "human absence" });
  });

  it("a short line that a call wrote more often than it is found is not a human's for sure", async () => {
    const short = "retries += 1;";
    repo.did("s", wrote(path("a.ts"), text(short), repo.soon()));
    repo.did("s2", wrote(path("b.ts"), text(short, short), repo.soon()));
    for (const name of ["a.ts", "b.ts"])
      saveObservation(repo.memory, { path: name, at: repo.soon() - 60_000, keys: [computeLineKey(short)] });
    const hash = await repo.commitAndTake("First", { "a.ts": text(short), "b.ts": text(short) });
    expect(repo.authors(hash, "a.ts")).toEqual({ 1: "human absence" });
    expect(repo.authors(hash, "b.ts")).toEqual({ 1: "unknown none" });
  });

  it("a common line of which a call wrote one is a human's only beside other lines of a human", async () => {
    const common = "  pass";
    const own = "limit = read_limit(settings, 'cart')";
    for (const [name, text] of Object.entries({
      "a.py": [common],
      "b.py": [own, common],
      "c.py": [common],
    })) {
      if (name !== "c.py") repo.did("s", edited(path(name), [`+${common}`], repo.soon()));
      saveObservation(repo.memory, { path: name, at: repo.soon() - 60_000, keys: text.map(computeLineKey) });
    }
    const hash = await repo.commitAndTake("First", {
      "a.py": text(common, common),
      "b.py": text(own, common, common),
      "c.py": text(common, common),
    });
    expect(repo.authors(hash, "a.py")).toEqual({ 1: "unknown none", 2: "unknown none" });
    for (const name of ["b.py", "c.py"])
      expect(new Set(Object.values(repo.authors(hash, name)))).toEqual(new Set(["human absence"]));
  });

  it("a common line of a call between lines of an agent is not a human's, wherever it showed up first", async () => {
    const lines = [total[1]!, "  pass", byHand[0]!];
    repo.did("s", edited(path("a.py"), [`+${lines[0]}`, "+x = 1", `+${lines[2]}`], repo.soon()));
    repo.did("s", edited(path("a.py"), ["+  pass", "+y = 2"], repo.soon()));
    saveObservation(repo.memory, {
      path: "a.py",
      at: repo.soon() - 60_000,
      keys: [computeLineKey("  pass")],
    });
    const hash = await repo.commitAndTake("First", { "a.py": text(...lines) });
    expect(repo.authors(hash, "a.py")).toEqual({ 1: "s edit", 2: "unknown none", 3: "s edit" });
  });

  it.each(["call", "command"])(
    "a new file of a %s that somebody renamed and formatted is its writer's",
    async (how) => {
      const call = "  return readLimit(settings, 'cart', fallbackFor(cart));";
      const written = ["export function limitOf(cart) {", call, "}"];
      const content = text(...total, ...written);
      const inCommand = ran(`cat > old.ts <<'EOF'\n${content}EOF`, repo.soon());
      repo.did("s", how === "call" ? wrote(path("old.ts"), content, repo.soon()) : inCommand);
      const split = ["  return readLimit(", "    settings,", "    'cart',", "    fallbackFor(cart),", "  );"];
      const formatted = [...byHand, "", written[0]!, ...split, "}"];
      const hash = await repo.commitAndTake("First", { "new.ts": text(...formatted, ...total) });
      const authors = repo.authors(hash, "new.ts");
      expect(authors[1]).toBe("human absence");
      for (let line = 3; line <= formatted.length + total.length; line++)
        expect(authors[line]).toBe(how === "call" ? "s edit" : "s shell");
    },
  );

  it("what a call wrote only later, by a clock that nothing shows to be right, is unknown", async () => {
    const { memory } = repo;
    rememberTurn(memory, "first", [ran("ls", repo.soon() - 600_000)]);
    const late = repo.soon() + 600_000;
    rememberTurn(memory, "s", [wrote(path("a.ts"), text(...total.slice(0, 2)), late)]);
    await repo.commitAndTake("First", { "b.ts": text(...most) });
    const hash = await repo.commitAndTake("Second", { "a.ts": text(...total.slice(0, 2), ...byHand) });
    expect(repo.authors(hash, "a.ts")).toEqual({ 1: "unknown none", 2: "unknown none", 3: "human absence" });
  });

  it("in a project in a subdirectory, and for commits of others", async () => {
    const { memory } = repo;
    const root = path("sub");
    rememberTurn(memory, "s", [wrote(`${root}/a.ts`, text(...total), repo.soon())], { cwd: root });
    const hash = repo.commit("First", { "sub/a.ts": text(...total, ...byHand), "b.ts": text(...total) });
    const files: ChangedFile[] = [];
    for await (const file of streamChangedFiles(root, { commit: hash })) files.push(file);
    const of = change({
      hash,
      authoredAt: repo.now(),
      committedAt: repo.now(),
      parent: null,
      files,
      isOwn: false,
    });
    const { ranges } = await attributeChange({ memory, root, worktrees: [] }, of);
    expect(ranges).toMatchObject([
      { path: "a.ts", firstLine: 1, lastLine: 3, author: "agent", sessionUid: "s" },
      { path: "a.ts", firstLine: 4, lastLine: 4, author: "unknown", confidence: 0, how: "none" },
    ]);
    await expect(attributeChange({ memory, root, worktrees: [] }, of, AbortSignal.abort())).rejects.toThrow();
  });
});
