import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { listLatelyChanged } from "./lately-changed.ts";

let repository: ReturnType<typeof temporaryGit>;
beforeEach(() => {
  repository = temporaryGit();
});
afterEach(() => repository.remove());

it("has files that commits touched most and last in front, and none of an import", async () => {
  const imported = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`vendor/${i}.ts`, "1"]));
  repository.commit("Begin", { "old.ts": "1", "core.ts": "1" });
  repository.commit("Import", imported);
  repository.commit("Change", { "core.ts": "2" });
  repository.commit("Add", { "new.ts": "1" });
  expect(await listLatelyChanged(repository.dir)).toEqual(["core.ts", "new.ts", "old.ts"]);
});

it("has none where there is no commit, or no git", async () => {
  expect(await listLatelyChanged(repository.dir)).toEqual([]);
  expect(await listLatelyChanged("/")).toEqual([]);
});
