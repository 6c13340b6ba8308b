import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { reindexProject } from "../../answers/reindex.ts";
import type { Project } from "../../base/paths.ts";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { searchHistory } from "./history.ts";

let repository: ReturnType<typeof temporaryGit>;
let project: Project;

beforeEach(() => {
  repository = temporaryGit();
  for (const subject of ["Add retries", "Evict pages"])
    repository.commit(subject, { [`${subject}.ts`]: "1" });
  project = namedProject(repository.dir);
});
afterEach(() => {
  repository.remove();
  rmSync(project.root, { recursive: true, force: true });
});

it("says of no commit that it is not there before all are read", async () => {
  const ask = () => searchHistory(project, { q: "zebra crossing" });
  const unread = {
    verdict: "not_yet",
    coverage: { of: "commits", done: 0, total: 2 },
    results: [],
    commits: { indexed: 0, is_complete: false },
  };
  expect(await ask()).toMatchObject(unread);
  await SqliteIndex.open(project.indexDb, { readonly: false }).close();
  expect(await ask()).toMatchObject(unread);
  await reindexProject(project, [], {});
  expect(await ask()).toMatchObject({
    verdict: "probably_not_here",
    coverage: undefined,
    commits: { indexed: 2, is_complete: true },
  });
});
