import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryRuns } from "../../../test/support/runs-fixture.ts";
import { edited, ran, wrote } from "../../../test/support/turn-fixture.ts";
import { findLostTexts } from "./find-lost-text.ts";

let store: ReturnType<typeof temporaryRuns>;
beforeEach(() => {
  store = temporaryRuns();
});
afterEach(() => store.remove());

const session: ReturnType<typeof temporaryRuns>["session"] = (...given) => store.session(...given);

it("text that no commit and no file holds is lost", async () => {
  const git = (...args: string[]) => execFileSync("git", ["-C", store.dir, ...args]);
  git("init", "-q");
  const file = join(store.dir, "a.ts");
  writeFileSync(file, "const committed = 1;\n");
  git("add", "a.ts");
  git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "one");
  session(
    "a",
    0,
    edited(file, "const committed = 1;", "const replacedLater = 2;"),
    edited(file, "const replacedLater = 2;", "const destroyed = 3;"),
    ran("git checkout -- a.ts", ""),
    wrote(join(store.dir, "b.ts"), "const other = 4;"),
  );
  const { texts } = await findLostTexts(store.memory, [store.dir], { file: "a.ts", limit: 9 });
  expect(texts.map(({ lost_by, command, lines }) => [lost_by, command, lines])).toEqual([
    ["edit", null, ["const replacedLater = 2;"]],
    ["checkout", "git checkout -- a.ts", ["const destroyed = 3;"]],
  ]);
  expect((await findLostTexts(store.memory, [store.dir], { file: "c.ts", limit: 9 })).total).toBe(0);
});
