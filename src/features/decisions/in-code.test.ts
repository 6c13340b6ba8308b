import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type Repository,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { makeNewProject } from "../../base/paths.ts";
import { standingsInCode } from "./in-code.ts";

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

it("a decision is kept, changed or gone by the lines that its turns wrote", async () => {
  rememberSession(repo.memory, "s", ["one", "two", "three", "four", "five", "six", "seven"]);
  const lines = (turn: number) => Array.from({ length: 4 }, (_, i) => `value${i} = ${turn} // s:${turn}`);
  const files = { "a.ts": lines(1).join("\n"), "b.ts": lines(4).join("\n"), "c.ts": lines(7).join("\n") };
  await recordCommit(repo.work, repo.commit("all", files), { seen: "hook" });
  const standings = () =>
    standingsInCode(
      makeNewProject(repo.root),
      repo.memory,
      [1, 4, 7, null].map((turn) => ({ session_id: "s", turn })),
    );
  expect(standings()).toEqual(["kept", "kept", "kept", null]);
  repo.commit("change", { "b.ts": `${lines(4).slice(0, 2).join("\n")}\nother();`, "c.ts": null });
  expect(standings()).toEqual(["kept", "changed", "gone", null]);
});
