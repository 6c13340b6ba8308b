import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { headOf } from "../../../test/support/repository-fixture.ts";
import { claude } from "../../agents/claude/claude.ts";
import { story, storyDay } from "./story.ts";
import { tellStory } from "./tell-story.ts";

/** Tells the story in directories of its own. */
function toldStory() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-story-")));
  const root = join(home, "harbor");
  tellStory({ root, home, now: storyDay });
  return { home, root };
}

it("makes the same commits wherever it is told", () => {
  const told = [toldStory(), toldStory()];
  expect(told.map(({ root }) => headOf(root).slice(0, 8))).toEqual(["f35c6296", "f35c6296"]);
});

it("leaves transcripts that are read as Claude Code's", async () => {
  const { home, root } = toldStory();
  const folder = join(home, ".claude/projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  for (const { id, turns } of story) {
    const file = join(folder, `${id}.jsonl`);
    expect(await claude.describe(file)).toMatchObject({ session: id, cwd: root, parent: null });
    const text = readFileSync(file, "utf8");
    for (const { prompt, deeds } of turns) {
      expect(text).toContain(JSON.stringify(prompt));
      for (const deed of deeds)
        expect(text).toContain(JSON.stringify("path" in deed ? deed.content : deed.output));
    }
    for await (const { skipped, damaged } of claude.read(file, null))
      expect({ skipped, damaged }).toEqual({ skipped: {}, damaged: [] });
  }
});
