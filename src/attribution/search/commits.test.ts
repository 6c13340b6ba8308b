import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryDriver } from "../../../test/support/memory-index.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { makeNewProject } from "../../base/paths.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { findReverts, searchCommits } from "./commits.ts";
import { indexCommits, indexedHead } from "./index-commits.ts";
import type { RecordNearness } from "./rank.ts";

type CommitQuery = Parameters<typeof searchCommits>[1];

let repository: ReturnType<typeof temporaryGit>;
let index: CodeIndex;
beforeEach(async () => {
  repository = temporaryGit();
  index = (await memoryDriver().openToWrite("index", silentLog)).index;
});
afterEach(() => repository.remove());

const update = () =>
  indexCommits(makeNewProject(repository.dir), makeDefaultConfig(), index, { log: silentLog });
const subjects = async () =>
  (await index.commits.get(await index.commits.listHashes())).map(({ subject }) => subject).sort();

const everything = { files: [], author: null, hashes: null, since: null, until: null, tip: null };
const search = async (query: string, only: Partial<CommitQuery> = {}, near: RecordNearness | null = null) =>
  searchCommits(index.commits, { ...everything, query, ...only }, near);
const found = async (...asked: Parameters<typeof search>) =>
  (await search(...asked)).results.map(({ item }) => item.subject);

describe("indexCommits", () => {
  it("reads history once, then what is new, with merges", async () => {
    repository.commit("One\n\nIts body", { "src/a.ts": "1" });
    await update();
    const [one] = await index.commits.get(await index.commits.listHashes());
    expect(one).toMatchObject({ subject: "One", body: "Its body", author: "Ann", files: ["src/a.ts"] });
    repository.git("switch", "--quiet", "--create", "side");
    repository.commit("Side", { "b.ts": "1" });
    repository.git("switch", "--quiet", "main");
    repository.later("merge", "--quiet", "--no-ff", "-m", "Merge pull request #7", "side");
    await update();
    expect(await subjects()).toEqual(["Merge pull request #7", "One", "Side"]);
    expect(await index.meta(indexedHead)).toBe(repository.git("rev-parse", "HEAD"));
  });

  it("forgets what a rebase or another branch leaves behind", async () => {
    repository.commit("One", { "a.ts": "1" });
    repository.commit("Two", { "a.ts": "2" });
    await update();
    repository.later("commit", "--quiet", "--amend", "-m", "Two again");
    await update();
    expect(await subjects()).toEqual(["One", "Two again"]);
    repository.git("switch", "--quiet", "--detach", "HEAD~");
    await update();
    expect(await subjects()).toEqual(["One"]);
  });

  it("goes on where it was interrupted", async () => {
    repository.commit("One", { "a.ts": "1" });
    repository.commit("Two", { "a.ts": "2" });
    await update();
    await index.setMeta(indexedHead, "");
    await index.commits.remove([repository.git("rev-parse", "HEAD~")]);
    await update();
    expect(await subjects()).toEqual(["One", "Two"]);
  });

  it("stores no secret, and does nothing without a repository", async () => {
    const key = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");
    repository.commit(`Set the key\n\naws_access_key_id = ${key}`, { "a.ts": "1" });
    await update();
    const [commit] = await index.commits.get(await index.commits.listHashes());
    expect(commit!.body).not.toContain(key);
    const elsewhere = makeNewProject("/nonexistent");
    await indexCommits(elsewhere, makeDefaultConfig(), index, { log: silentLog });
    expect(await subjects()).toEqual(["Set the key"]);
  });
});

describe("searchCommits", () => {
  beforeEach(async () => {
    repository.commit("Retry failed uploads\n\nENT-232: wait longer each time.", { "src/upload.ts": "1" });
    repository.commit("Draw the menu", { "src/ui/menu.ts": "1" });
    for (let n = 0; n < 30; n++) repository.commit(`Chore ${n}`, { "notes.md": `${n}` });
    await update();
  });

  it("finds by subject, body, ticket, file and author, and says nothing about anything else", async () => {
    expect((await found("retry of uploads"))[0]).toBe("Retry failed uploads");
    expect((await found("ENT-232"))[0]).toBe("Retry failed uploads");
    expect((await found("menu.ts"))[0]).toBe("Draw the menu");
    expect(await found("menu", { author: "ann" })).toEqual(["Draw the menu"]);
    expect(await found("menu", { author: "zoe" })).toEqual([]);
    expect((await search("recipe for chicken soup")).verdict).toBe("probably_not_here");
  });

  it("finds by (the beginning of) a hash, and by nothing else where there is none", async () => {
    const hash = repository.git("rev-parse", "HEAD~30");
    for (const asked of [hash, hash.slice(0, 7), `what did ${hash.slice(0, 12)} do`]) {
      const { results, verdict } = await search(asked);
      expect(verdict).toBe("found");
      expect(results[0]).toMatchObject({ item: { hash }, score: 1 });
    }
    expect(await search("0123456789")).toMatchObject({ verdict: "probably_not_here", results: [] });
  });

  it("puts first what has the text in quotes, and the tip of the branch that is asked for", async () => {
    repository.commit("Wait for uploads longer each time", { "a.ts": "1" });
    await update();
    const quoted = await search('"longer each time"');
    expect(quoted.is_named).toBe(true);
    expect((await found('uploads "wait longer each"'))[0]).toBe("Retry failed uploads");
    const tip = repository.git("rev-parse", "HEAD~31");
    expect(await search("fix/lamp", { tip })).toMatchObject({
      is_named: true,
      results: [{ item: { hash: tip } }],
    });
    expect((await search("uploads")).is_named).toBeUndefined();
  });

  it("keeps to files, times and commits", async () => {
    expect(await found("retry uploads menu", { files: ["src/ui"] })).toEqual(["Draw the menu"]);
    expect(await found("retry uploads menu", { files: ["src/*.ts"] })).toEqual(["Retry failed uploads"]);
    const [hash] = (await search("menu")).results.map(({ item }) => item.hash);
    expect(await found("retry uploads menu", { hashes: new Set([hash!]) })).toEqual(["Draw the menu"]);
    const { authoredAt } = (await index.commits.get([hash!]))[0]!;
    expect(await found("retry uploads menu", { since: authoredAt })).toEqual(["Draw the menu"]);
  });

  it("ranks by meaning as well", async () => {
    const near: RecordNearness = async (_, texts) =>
      texts.map((text) => (text.startsWith("Chore 7\n") ? 0.9 : 0.1));
    expect((await found("chore", {}, near))[0]).toBe("Chore 7");
  });
});

it("knows which commits were taken back", async () => {
  const hash = repository.commit("Add it", { "a.ts": "1" });
  repository.later("revert", "--no-edit", hash);
  await update();
  const reverts = await findReverts(index.commits, [hash]);
  expect([...reverts]).toEqual([[hash, repository.git("rev-parse", "HEAD")]]);
});
