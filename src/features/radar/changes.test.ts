import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { edited, wrote } from "../../../test/support/attribution-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { transcript } from "../../../test/support/transcript-fixture.ts";
import { claude } from "../../agents/claude/claude.ts";
import { makeNewProject } from "../../base/paths.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { showRadar } from "./answer.ts";
import { classifyCheckout, findLiveWork, listOverlaps } from "./changes.ts";
import { closeFunctions } from "./functions.ts";

const text = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";

let repo: ReturnType<typeof repositoryWithAgents>;
let worktree: string;
beforeEach(() => {
  repo = repositoryWithAgents();
  repo.commit("Start", { "a.ts": text });
  worktree = join(repo.root, "../fix-42");
  repo.git("worktree", "add", "--quiet", "-b", "fix-42", worktree);
});
afterEach(() => {
  repo.git("worktree", "remove", "--force", worktree);
  repo.remove();
});
afterAll(closeFunctions);

/** A session changes a line of a file, which it is recorded for as its transcript has it. */
function change(session: string, from: string, to: string, root = repo.root) {
  const line = (one: string) => `  return ${one};`;
  writeFileSync(join(root, "a.ts"), text.replace(from, to));
  repo.did(session, edited(join(root, "a.ts"), [`-${line(from)}`, `+${line(to)}`], repo.soon()));
  saveSession(repo.memory, { uid: session, agent: "claude", cwd: root, lastAt: repo.soon() });
}
async function look(now = repo.soon()) {
  const { sessions, changes } = await findLiveWork(repo.memory, [repo.root, worktree], now);
  return {
    sessions: sessions.map(({ session }) => session.uid).sort(),
    changes: changes.map(({ session, root, path, now }) => [session, root, path, now.name]).sort(),
    overlaps: listOverlaps(changes).map(({ path, name, changes: [a, b] }) => [
      path,
      name,
      a.session,
      b.session,
    ]),
  };
}

describe("what sessions at work have changed", () => {
  it("is found in all checkouts, with where two meet", async () => {
    change("first", "1", "3");
    change("second", "1", "4", worktree);
    const { sessions, changes, overlaps } = await look();
    expect(sessions).toEqual(["first", "second"]);
    expect(changes).toEqual([
      ["first", repo.root, "a.ts", "one"],
      ["second", worktree, "a.ts", "one"],
    ]);
    expect(overlaps).toHaveLength(1);
    expect(overlaps[0]!.toSorted()).toEqual(["a.ts", "first", "one", "second"]);
  });

  it("is looked for in the checkouts that are still there", async () => {
    const show = async () =>
      (await showRadar({ project: makeNewProject(repo.root), memory: repo.memory })).checkouts;
    expect(await show()).toHaveLength(2);
    rmSync(worktree, { recursive: true });
    expect((await show()).map(({ is }) => is)).toEqual(["this"]);
  });

  it("is found in the end of a transcript that nobody has stored yet", async () => {
    const session = "33333333-3333-4333-8333-333333333333";
    const file = join(repo.root, "../transcript.jsonl");
    const lines = transcript({ session, cwd: repo.root, start: new Date(repo.soon()).toISOString() });
    lines.prompt("Go on.");
    writeFileSync(file, lines.text());
    const { id } = saveSession(repo.memory, {
      uid: session,
      agent: "claude",
      cwd: repo.root,
      lastAt: repo.soon(),
    });
    for await (const { cursor } of claude.read(file, null))
      saveTranscript(repo.memory, {
        ...cursor,
        path: file,
        agent: "claude",
        sessionId: id,
        size: cursor.offset,
        readAt: repo.soon(),
        skipped: {},
      });
    writeFileSync(join(repo.root, "a.ts"), text.replace("return 1", "return 3"));
    expect((await look()).changes).toEqual([]);
    const hunk = {
      oldStart: 2,
      oldLines: 1,
      newStart: 2,
      newLines: 1,
      lines: ["-  return 1;", "+  return 3;"],
    };
    const structured = { filePath: join(repo.root, "a.ts"), structuredPatch: [hunk], userModified: false };
    const input = { file_path: join(repo.root, "a.ts"), old_string: "return 1", new_string: "return 3" };
    lines.tool("Edit", input, "The file has been updated.", { structured });
    writeFileSync(file, lines.text());
    expect((await look()).changes).toEqual([[session, repo.root, "a.ts", "one"]]);
  });

  it("is no overlap where functions differ, or are the same by now", async () => {
    change("first", "1", "3");
    change("second", "2", "4", worktree);
    expect((await look()).overlaps).toEqual([]);
    change("second", "1", "3", worktree);
    expect((await look()).overlaps).toEqual([]);
  });

  it("is nothing once it is committed, or the session is over or silent", async () => {
    change("first", "1", "3");
    expect((await look()).changes).toHaveLength(1);
    expect((await look(repo.soon() + 3 * 3_600_000)).sessions).toEqual([]);
    saveSession(repo.memory, {
      uid: "first",
      agent: "claude",
      cwd: repo.root,
      ended: { at: repo.soon(), reason: "other" },
    });
    expect((await look()).sessions).toEqual([]);
    saveSession(repo.memory, {
      uid: "first",
      agent: "claude",
      cwd: repo.root,
      lastAt: repo.soon(),
      ended: null,
    });
    repo.commit("Change");
    expect((await look()).changes).toEqual([]);
  });

  it("is not what a person changed beside it", async () => {
    change("first", "1", "3");
    writeFileSync(join(repo.root, "a.ts"), text.replace("1", "3").replace("2", "5"));
    expect((await look()).changes.map(([, , , name]) => name)).toEqual(["one"]);
  });

  it("includes a subagent's, as its session's", async () => {
    change("first", "1", "3");
    repo.did(
      "first/agent",
      wrote(join(repo.root, "b.ts"), "export function three() {\n  return 3;\n}\n", repo.soon()),
    );
    saveSession(repo.memory, {
      uid: "first/agent",
      agent: "claude",
      cwd: repo.root,
      parentId: findSessionByUid(repo.memory, "first")!.id,
      lastAt: repo.soon(),
    });
    writeFileSync(join(repo.root, "b.ts"), "export function three() {\n  return 3;\n}\n");
    const { sessions, changes } = await look();
    expect(sessions).toEqual(["first"]);
    expect(changes.map(([session, , path]) => [session, path])).toEqual([
      ["first", "a.ts"],
      ["first", "b.ts"],
    ]);
  });
});

it("tells worktrees from clones", () => {
  expect([repo.root, worktree, "/elsewhere"].map((root) => classifyCheckout(root, repo.root))).toEqual([
    "this",
    "worktree",
    "clone",
  ]);
});
