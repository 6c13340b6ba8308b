import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { HistorySearchResponse, SearchAllResponse } from "../../src/features/search/operation.ts";
import type { TranscriptSearchResponse } from "../../src/protocol/results.ts";
import { temporaryGit } from "../support/repository-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { callPm, runPm } from "./run-pm.ts";

/** What people and scripts find with `pm search` beside code and sessions: commits, notes and events. */

let project: Project;
let hash: string;
async function history(...words: string[]): Promise<HistorySearchResponse> {
  const { code, stdout } = await callPm(["search", ...words, "--json"], { cwd: project.root });
  const response = JSON.parse(stdout) as HistorySearchResponse;
  // Nothing is called missing while commits are still read.
  expect(code).toBe(response.results.length > 0 || response.verdict === "not_yet" ? 0 : 5);
  return response;
}

beforeAll(async () => {
  project = createProject({ "src/upload.ts": "export function retryUpload() {\n  return 1;\n}\n" });
  const repository = temporaryGit(project.root);
  repository.commit("Start", { "README.md": "# Uploads\n" });
  hash = repository.commit("Retry failed uploads\n\nENT-232: wait longer each time.", {
    "src/upload.ts": "export function retryUpload() {\n  return 2;\n}\n",
  });
  await start(project);
  await pmJson(project, "note", "Uploads are retried three times because the store is flaky");
  await pmJson(project, "event", "create", "Upload rewrite", "--description", "Resumable uploads in parts");
  await until(async () => (await history("commits", "uploads")).commits.indexed === 2);
});
afterAll(() => cleanUp());

describe("pm search", () => {
  it("finds code, notes, commits and events at once", async () => {
    const all = await pmJson<SearchAllResponse>(project, "search", "retry uploads");
    expect(all.code?.results[0]).toMatchObject({ file: "src/upload.ts" });
    expect(all.transcripts?.results[0]).toMatchObject({ annotation: expect.stringContaining("flaky") });
    const kinds = all.history?.results.map(({ kind, title }) => [kind, title]);
    expect(kinds).toContainEqual(["commit", "Retry failed uploads"]);
    const { stdout, code } = await callPm(["search", "resumable uploads"], { cwd: project.root });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Events \(1 result\)$/m);
  });

  it("finds commits by words, ticket, author and hash, and events by name", async () => {
    for (const words of [["uploads"], ["ENT-232"], ["uploads", "--author", "ann"], [hash.slice(0, 8)]]) {
      const [first] = (await history("commits", ...words)).results;
      expect(first, words.join(" ")).toMatchObject({
        kind: "commit",
        id: hash,
        title: "Retry failed uploads",
        author: "Ann",
        reach: "head",
        checkpoint: null,
        files: ["src/upload.ts"],
        reverted_by: null,
      });
    }
    expect((await history("events", "upload rewrite")).results).toMatchObject([
      { kind: "event", title: "Upload rewrite", status: "active", sessions: 0 },
    ]);
    const notes = await pmJson<TranscriptSearchResponse>(project, "search", "notes", "flaky store");
    expect(notes.results).toMatchObject([{ chunk_type: "annotated" }]);
  });

  it("limits itself to what is asked for", async () => {
    const only = await pmJson<SearchAllResponse>(project, "search", "uploads", "--only", "commits,notes");
    expect(only.code).toBeNull();
    expect(only.transcripts?.results.every(({ annotation }) => annotation !== null)).toBe(true);
    expect(new Set(only.history?.results.map(({ kind }) => kind))).toEqual(new Set(["commit"]));
    const checkpoints = await callPm(["search", "checkpoints", "uploads"], { cwd: project.root });
    expect(checkpoints.code).toBe(5);
  });

  it("says that nothing was found, with exit code 5", async () => {
    for (const scope of ["commits", "events", "notes", "all"]) {
      const { code, stdout } = await callPm(["search", scope, "penguins in the arctic winter"], {
        cwd: project.root,
      });
      expect([scope, code]).toEqual([scope, 5]);
      expect(stdout).toContain('Nothing found about "penguins in the arctic winter".');
    }
  });

  it("finds new commits without being asked", async () => {
    const repository = temporaryGit(project.root);
    const later = repository.commit("Compress the thumbnails", { "src/thumbs.ts": "1" });
    await runPm(["hook", "git-post-commit", later, "refs/heads/main"], { cwd: project.root });
    await until(async () => (await history("commits", "compress thumbnails")).results[0]?.id === later);
  });
});
