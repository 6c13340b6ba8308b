import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wrote } from "../../../test/support/attribution-fixture.ts";
import { violations } from "../../../test/support/git-ai-standard.ts";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { readForeignNotes } from "../../attribution/foreign/foreign-notes.ts";
import { saveSession } from "../../store/memory/sessions/sessions.ts";
import { exportNotes } from "./export-notes.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
let first: string;
let second: string;
const text = "export const answer = computeTheAnswer();\nexport const other = computeAnother();\n";

const exported = (options: Partial<Parameters<typeof exportNotes>[2]> = {}) =>
  exportNotes(repo.work.project, repo.memory, {
    format: "git-ai",
    range: null,
    force: false,
    dryRun: false,
    ...options,
  });
const note = (hash: string) => repo.git("notes", "--ref=ai", "show", hash);

beforeEach(async () => {
  repo = repositoryWithAgents();
  first = await repo.commitAndTake("Start", { "start.ts": "start();\n" });
  addSession(repo.memory, "one");
  repo.did("one", wrote("a.ts", text, repo.soon()));
  second = await repo.commitAndTake("Answer", { "a.ts": text });
});
afterEach(() => repo.remove());

describe("exporting notes of Git AI", () => {
  it("notes the commits whose authors are known, and does nothing the second time", async () => {
    const report = await exported();
    expect(report).toMatchObject({ written: [second], kept: [], unchanged: 0, before: null });
    expect(violations(`${note(second)}\n`)).toEqual([]);
    expect((await readForeignNotes(repo.root, [second])).get(second)!.lines).toEqual([
      { path: "a.ts", first: 1, last: 2, tool: "claude", model: "big-model", session: "one" },
    ]);
    expect(await exported()).toMatchObject({ written: [], updated: [], unchanged: 1, before: report.after });
    expect(repo.git("rev-list", "--count", "refs/notes/ai")).toBe("1");
  });

  it("takes a range, one commit, and refuses what git does not know", async () => {
    expect(await exported({ range: `${first}..HEAD`, dryRun: true })).toMatchObject({ written: [second] });
    expect(await exported({ range: first, dryRun: true })).toMatchObject({ written: [], unknown: 1 });
    await expect(exported({ range: "nowhere..HEAD" })).rejects.toThrow("git finds no commits nowhere..HEAD.");
    await expect(exported({ range: "--output=x" })).rejects.toThrow("git finds no commits --output=x.");
    expect(repo.git("for-each-ref", "refs/notes", "refs/pommel")).toBe("");
  });

  it("leaves another tool's note, unless forced, and updates its own", async () => {
    repo.git("notes", "--ref=ai", "add", "-m", "somebody's", second);
    repo.git("notes", "--ref=ai", "add", "-m", "on another commit", first);
    expect(await exported()).toMatchObject({ written: [], kept: [second] });
    expect(note(second)).toBe("somebody's");
    expect(await exported({ force: true })).toMatchObject({ replaced: [second], kept: [] });
    expect(note(second)).toContain("a.ts\n");
    expect(note(first)).toBe("on another commit");
    const older = note(second).replace(/"pommel_version": "[^"]+"/, '"pommel_version": "0.0.1"');
    repo.git("notes", "--ref=ai", "add", "--force", "-m", older, second);
    expect(await exported()).toMatchObject({ updated: [second], kept: [] });
  });
});

it("writes notes that people read, and leaves what is not ours", async () => {
  saveSession(repo.memory, {
    uid: "one",
    agent: "claude",
    cwd: "/",
    title: { text: "Answer\u001b[2J it", source: "user" },
  });
  expect(await exported({ format: "readable" })).toMatchObject({
    ref: "refs/notes/pommel",
    written: [second],
  });
  expect(repo.git("log", "-1", "--format=%N", "--notes=pommel", second)).toBe(
    "Pommel: 2 lines, 2 by agents\n  one claude, 2: Answer [2J it",
  );
  expect(await exported({ format: "readable" })).toMatchObject({ written: [], unchanged: 1 });
  repo.git("notes", "--ref=pommel", "add", "--force", "-m", "somebody's", second);
  expect(await exported({ format: "readable" })).toMatchObject({ written: [], kept: [second] });
});
