import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wrote } from "../../../test/support/attribution-fixture.ts";
import { violations } from "../../../test/support/git-ai-standard.ts";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { readAuthorshipLog } from "../../attribution/foreign/git-ai.ts";
import { makeNewProject } from "../../base/paths.ts";
import { buildItemPath } from "../../sync/branch/manifest.ts";
import { encode } from "../../sync/branch/shared-file.ts";
import { carryAttribution } from "./carry.ts";
import { exportNotes } from "./export-notes.ts";

/** A developer's repository with a memory, and a CI job's checkout of it, which has none. */
let repo: ReturnType<typeof repositoryWithAgents>;
let checkout: ReturnType<typeof temporaryGit>;
const answer = "export const answer = computeTheAnswer();\nexport const other = computeAnother();\n";
const question = "export const question = askForTheQuestion();\n";
const base = "first();\nsecond();\nthird();\n";

const carry = (range: string, mergedAs: string) =>
  carryAttribution(makeNewProject(checkout.dir), { range, mergedAs });
const fetch = (...refs: string[]) => checkout.git("fetch", "--quiet", "--force", repo.root, ...refs);
const note = (hash: string) => checkout.git("notes", "--ref=ai", "show", hash);

beforeEach(async () => {
  repo = repositoryWithAgents();
  await repo.commitAndTake("Start", { "base.ts": base });
  repo.git("switch", "--quiet", "--create", "feature");
  addSession(repo.memory, "one");
  repo.did("one", wrote("answer.ts", answer, repo.soon()));
  await repo.take(repo.commit("Answer", { "answer.ts": answer, "base.ts": `${base}byWhom();\n` }), {
    seen: "history",
  });
  repo.did("one", wrote("question.ts", question, repo.soon()));
  await repo.commitAndTake("Question", { "question.ts": question });
  await exportNotes(repo.work.project, repo.memory, {
    format: "git-ai",
    range: "main..feature",
    force: false,
    dryRun: false,
  });
  checkout = temporaryGit(realpathSync(mkdtempSync(join(tmpdir(), "pommel-checkout-"))));
});
afterEach(() => {
  checkout.remove();
  repo.remove();
});

describe("a merge on the server", () => {
  beforeEach(() => {
    fetch("main:refs/remotes/origin/main", "feature:refs/heads/feature", "refs/notes/ai:refs/notes/ai");
    checkout.git("reset", "--quiet", "--hard", "refs/remotes/origin/main");
    // Meanwhile, on the target branch.
    checkout.commit("Other work", { "base.ts": `before();\n${base}`, "else.ts": "x();\n" });
  });

  it("carries what a squash brings, with the lines' new numbers", async () => {
    checkout.git("merge", "--quiet", "--squash", "feature");
    const squash = checkout.commit("Answer and question (#7)", {
      "base.ts": `before();\n${base}byWhom();\n`,
    });
    expect(await carry("main..feature", squash)).toMatchObject({
      onto: [squash],
      written: [squash],
      kept: [],
    });
    expect(violations(note(squash))).toEqual([]);
    expect(
      readAuthorshipLog(note(squash)).map(({ path, first, last, tool }) => [path, first, last, tool]),
    ).toEqual([
      ["answer.ts", 1, 2, "claude"],
      ["question.ts", 1, 1, "claude"],
    ]);
    expect(await carry("main..feature", squash)).toMatchObject({ unchanged: 1 });
  });

  it("carries it to each commit of a rebase, and leaves lines that were changed on the way", async () => {
    const other = checkout.git("rev-parse", "main");
    checkout.git("rebase", "--quiet", "main", "feature");
    checkout.commit("By hand", { "question.ts": "export const question = null;\n" });
    const [, ...made] = checkout.git("rev-list", "--reverse", `${other}~1..feature`).split("\n");
    const rebased = made.slice(0, 2);
    const original = repo.git("rev-parse", "feature");
    const { onto } = await carry(`${other}~1..${original}`, rebased[1]!);
    expect([...onto].sort()).toEqual([...rebased].sort());
    expect(readAuthorshipLog(note(rebased[1]!)).map(({ path }) => path)).toEqual(["question.ts"]);
    expect(readAuthorshipLog(note(rebased[0]!)).map(({ path }) => path)).toEqual(["answer.ts"]);
  });

  it("leaves a true merge, and a note that is there", async () => {
    checkout.git("switch", "--quiet", "--create", "merged");
    const merge = checkout.later("merge", "--quiet", "--no-ff", "--message", "Merge", "feature");
    expect(await carry("main..feature", merge)).toMatchObject({ onto: [], written: [] });
    checkout.git("switch", "--quiet", "main");
    checkout.git("merge", "--quiet", "--squash", "feature");
    const squash = checkout.commit("All (#7)");
    checkout.git("notes", "--ref=ai", "add", "-m", "somebody's", squash);
    expect(await carry("main~1..feature", squash)).toMatchObject({ kept: [squash] });
    expect(note(squash)).toBe("somebody's");
  });

  it("carries what the branch of the shared memory says where there are no notes", async () => {
    checkout.git("update-ref", "-d", "refs/notes/ai");
    const hash = checkout.git("rev-parse", "feature");
    const range = { first: 1, last: 1, author: "agent", session: "one", turn: 1, tool_use: null } as const;
    const shared = {
      commit: {
        hash,
        tree: hash,
        parents: [],
        branch: null,
        author: "Ann",
        authored_at: 1,
        committed_at: 1,
        subject: "",
        patch_id: null,
        rewritten_from: [],
        insertions: 1,
        deletions: 0,
      },
      version: 3,
      files: { "question.ts": [{ ...range, model: "m", confidence: 1, how: "edit" as const }] },
    };
    const meta = {
      uid: "one",
      agent: "codex",
      parent: null,
      parent_tool_use: null,
      agent_type: null,
      cwd: "",
      forked_from: null,
      title: null,
      title_source: null,
      title_at: null,
      branch: null,
      started_at: 1,
      last_at: 1,
      ended_at: null,
      end_reason: null,
      summaries: [],
    };
    checkout.git("switch", "--quiet", "--orphan", "pommel/memory/v1");
    checkout.commit("Pommel memory", {
      [buildItemPath({ kind: "attribution", id: hash, part: "whole" })]: encode("attribution", shared),
      [buildItemPath({ kind: "session", id: "one", part: "meta" })]: encode("meta", meta),
    });
    checkout.git("switch", "--quiet", "main");
    checkout.git("merge", "--quiet", "--squash", "feature");
    const squash = checkout.commit("Answer and question (#7)");
    expect(await carry("main~1..feature", squash)).toMatchObject({ written: [squash] });
    expect(readAuthorshipLog(note(squash))).toMatchObject([
      { path: "question.ts", tool: "codex", model: "m" },
    ]);
  });

  it("needs a range, a common ancestor and a repository", async () => {
    await expect(carry("feature", "main")).rejects.toThrow("feature is not a range.");
    await expect(carry("--upload-pack=x..feature", "main")).rejects.toThrow(
      "git finds no commit --upload-pack=x.",
    );
    checkout.git("switch", "--quiet", "--orphan", "other");
    checkout.commit("Alone", { "x.ts": "x\n" });
    await expect(carry("feature..other", "main")).rejects.toThrow("no common ancestor");
    const nowhere = mkdtempSync(join(tmpdir(), "pommel-none-"));
    await expect(carryAttribution(makeNewProject(nowhere), { range: "a..b", mergedAs: "b" })).rejects.toThrow(
      "is not in a git repository",
    );
    rmSync(nowhere, { recursive: true });
  });

  it("says that git cannot be run, and not that there is no repository", async () => {
    vi.stubEnv("PATH", "/nowhere");
    await expect(carry("a..b", "b").finally(vi.unstubAllEnvs)).rejects.toThrow("git is not installed");
  });
});
