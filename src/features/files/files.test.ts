import { afterEach, beforeEach, expect, it } from "vitest";
import { edited } from "../../../test/support/attribution-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { makeNewProject } from "../../base/paths.ts";
import { describeDirectory, findFiles } from "./files.ts";
import { scorePathMatch } from "./path-match.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
beforeEach(() => {
  repo = repositoryWithAgents();
});
afterEach(() => repo.remove());

it("lists what lies in a directory, who wrote it, and the last commit that changed it", async () => {
  await repo.commitAndTake("first", { "src/a.ts": "mine\n", "src/deep/b.ts": "mine\n", "README.md": "x\n" });
  repo.did("s", edited(`${repo.root}/src/deep/b.ts`, ["+agents"], repo.soon()));
  const hash = await repo.commitAndTake("second", { "src/deep/b.ts": "mine\nagents\n" });
  const root = await describeDirectory(makeNewProject(repo.root), repo.memory, {});
  expect(root.entries.map(({ name, is_directory, files }) => [name, is_directory, files])).toContainEqual([
    "src",
    true,
    2,
  ]);
  const { entries } = await describeDirectory(makeNewProject(repo.root), repo.memory, { path: "src/" });
  expect(entries).toMatchObject([
    { name: "deep", path: "src/deep", share: { lines: 2, agent: 1 }, changed: { hash, subject: "second" } },
    { name: "a.ts", path: "src/a.ts", share: { lines: 1, agent: 0 }, changed: { subject: "first" } },
  ]);
  await expect(describeDirectory(makeNewProject(repo.root), null, { path: "nowhere" })).rejects.toMatchObject(
    {
      code: "not_found",
    },
  );
});

it("counts what is left of the lines that agents wrote, also where a file was moved", async () => {
  await repo.commitAndTake("first", { "src/a.ts": "mine\n" });
  repo.did("s", edited(`${repo.root}/src/a.ts`, ["+theirs stays", "+theirs goes"], repo.soon()));
  await repo.commitAndTake("second", { "src/a.ts": "mine\ntheirs stays\ntheirs goes\n" });
  await repo.commitAndTake("third", { "src/a.ts": "mine\ntheirs stays\nother\n" });
  const of = async (path: string) => {
    const { surviving, entries } = await describeDirectory(makeNewProject(repo.root), repo.memory, {
      path,
      surviving: true,
    });
    return [surviving, ...entries.map(({ name, surviving: left }) => [name, left])];
  };
  expect(await of("src")).toEqual([{ added: 2, left: 1 }, ["a.ts", { added: 2, left: 1 }]]);
  await repo.commitAndTake("moved", { "src/a.ts": null, "lib/b.ts": "mine\ntheirs stays\nother\n" });
  expect(await of("lib")).toEqual([{ added: 2, left: 1 }, ["b.ts", { added: 2, left: 1 }]]);
  const unasked = await describeDirectory(makeNewProject(repo.root), repo.memory, {});
  expect(unasked.surviving).toBeNull();
});

it("finds files by letters of their paths, by their names first", async () => {
  repo.commit("files", { "src/session/view.ts": "", "src/view/other.ts": "", "docs/sessions.md": "" });
  const find = async (q: string) => (await findFiles(makeNewProject(repo.root), { q })).files;
  expect(await find("view")).toEqual(["src/session/view.ts", "src/view/other.ts"]);
  expect(await find("srvi")).toEqual(["src/view/other.ts", "src/session/view.ts"]);
  expect(await find("zzz")).toEqual([]);
});

it("prefers letters that stand together", () => {
  expect(scorePathMatch("abc", "abc.ts")).toBeGreaterThan(scorePathMatch("abc", "abc/x.ts")!);
  expect(scorePathMatch("abd", "a/b/d.ts")).toBeLessThan(1);
  expect(scorePathMatch("x", "a.ts")).toBeNull();
});
