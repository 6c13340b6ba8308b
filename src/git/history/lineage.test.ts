import { expect, test } from "vitest";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { Lineage } from "./lineage.ts";

test("lineage: agrees with git about who comes before whom", async () => {
  const { dir, git, commit } = temporaryGit();
  const hashes = [commit("Root")];
  git("checkout", "--quiet", "-b", "side");
  hashes.push(commit("Side 1"), commit("Side 2"));
  git("checkout", "--quiet", "main");
  hashes.push(commit("Main 1"));
  git("merge", "--quiet", "--no-ff", "-m", "Merge", "side");
  hashes.push(git("rev-parse", "HEAD").trim(), commit("After"));
  git("checkout", "--quiet", "-b", "other", hashes[1]!);
  hashes.push(commit("Other"));
  const lineage = (await Lineage.of(dir, [hashes[5]!, hashes[6]!]))!;
  for (const tip of hashes) {
    const before = new Set(git("rev-list", tip).trim().split("\n"));
    expect(lineage.ancestorsAmong(tip, hashes)).toEqual(new Set(hashes.filter((hash) => before.has(hash))));
  }
  expect(lineage.ancestorsAmong("1".repeat(40), hashes)).toBeNull();
  expect(lineage.ancestorsAmong(hashes[5]!, ["1".repeat(40), hashes[6]!])).toEqual(new Set());
  expect((await Lineage.of(dir, []))!.ancestorsAmong(hashes[0]!, hashes)).toBeNull();
});
