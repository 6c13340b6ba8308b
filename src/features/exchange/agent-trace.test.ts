import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { wrote } from "../../../test/support/attribution-fixture.ts";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { all } from "../../../test/support/repository-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import schema from "../../../test/support/schemas/agent-trace-0.1.0.json" with { type: "json" };
import { listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import { blameFile } from "../blame/blame-file.ts";
import { exportTraces, importTraces } from "./agent-trace.ts";

const published = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
let repo: ReturnType<typeof repositoryWithAgents>;
/** Not analysed: by somebody else. */
let foreign: string;
/** By an agent, line 3 by nobody knows whom. */
let own: string;
const ownText = "export const answer = computeTheAnswer();\nexport const other = computeAnother();\n";
const url = "https://example.com/chats/1";

const traceOf = (commit: string, path: string, ranges: object[], contributor: object = { type: "ai" }) =>
  JSON.stringify({
    version: "0.1.0",
    id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2026-01-23T14:30:00Z",
    vcs: { type: "git", revision: commit },
    files: [{ path, conversations: [{ url, contributor, ranges }] }],
  });
const take = (text: string, dryRun = false) => importTraces(repo.work.project, text, { dryRun });
const authors = (hash: string) =>
  listAttributions(repo.memory, findCommitByHash(repo.memory, hash)?.id ?? -1).map(
    ({ path, firstLine, lastLine, author, sessionUid, how }) =>
      `${path}:${firstLine}-${lastLine} ${sessionUid ?? author} ${how}`,
  );

beforeEach(async () => {
  repo = repositoryWithAgents();
  foreign = repo.commit("Start", { "a.ts": "one();\ntwo();\nthree();\nfour();\n", "b.ts": "b();\n" });
  addSession(repo.memory, "one");
  repo.did("one", wrote("own.ts", ownText, repo.soon()));
  own = await repo.take(repo.commit("Answer", { "own.ts": `${ownText}const third = 3;\n` }), {
    seen: "history",
  });
});
afterEach(() => repo.remove());

describe("importing trace records", () => {
  it("gives lines of a commit that nobody analysed the authors of the record, as another tool's word", async () => {
    const ranges = [
      { start_line: 1, end_line: 2 },
      { start_line: 3, end_line: 3, contributor: { type: "human" } },
      { start_line: 4, end_line: 900, contributor: { type: "unknown" } },
    ];
    const text = traceOf(foreign, "a.ts", ranges, { type: "ai", model_id: "openai/gpt-5" });
    const expected = [`a.ts:1-2 ${url} note`, "a.ts:3-3 human note", "a.ts:4-4 unknown none"];
    expect(await take(text, true)).toMatchObject({ commits: [foreign] });
    expect(authors(foreign)).toEqual([]);
    expect(await take(text)).toMatchObject({
      records: 1,
      commits: [foreign],
      elsewhere: 0,
      problems: [],
      lines: { agent: 2, human: 1, unknown: 1 },
    });
    expect(authors(foreign)).toEqual(expected);
    expect(await take(text)).toMatchObject({ commits: [], unchanged: 1 });
    const { ranges: blamed } = await blameFile(repo.work.project, repo.memory, { file: "a.ts" });
    expect(blamed[0]).toMatchObject({ author: "agent", model: "gpt-5", session_id: url, said_by: "note" });
  });

  it("leaves what Pommel found itself, and fills what is unknown", async () => {
    const before = authors(own);
    expect(before).toEqual(["own.ts:1-2 one edit", "own.ts:3-3 unknown none"]);
    await take(traceOf(own, "own.ts", [{ start_line: 1, end_line: 3 }]));
    expect(authors(own)).toEqual(["own.ts:1-2 one edit", `own.ts:3-3 ${url} note`]);
    // Looked at again, it stays.
    await repo.take(own, { seen: "history", again: true });
    expect(authors(own)).toEqual(["own.ts:1-2 one edit", `own.ts:3-3 ${url} note`]);
    await take(traceOf(own, "own.ts", [{ start_line: 3, end_line: 3 }], { type: "human" }));
    expect(authors(own)).toEqual(["own.ts:1-2 one edit", "own.ts:3-3 human note"]);
  });

  it("analyses a commit later although somebody's sessions are named", async () => {
    await take(traceOf(foreign, "b.ts", [{ start_line: 1, end_line: 1 }]));
    await repo.take(foreign);
    expect(findCommitByHash(repo.memory, foreign)!.attributed).toBeGreaterThan(0);
    expect(authors(foreign)).toEqual(["a.ts:1-4 unknown none", `b.ts:1-1 ${url} note`]);
  });

  it("stores no secret, and nothing outside of what the commit changed", async () => {
    const text = traceOf(foreign, "../../etc/passwd", [{ start_line: 1, end_line: 9 }]);
    const lines = [
      text,
      traceOf(foreign, "own.ts", [{ start_line: 1, end_line: 9 }]),
      traceOf("f".repeat(40), "a.ts", []),
      traceOf("HEAD", "a.ts", []),
      "{",
      traceOf(foreign, "a.ts", [{ start_line: 1, end_line: 1 }]).replace(
        url,
        `${url}?token=ghp_${"a1B2".repeat(9)}`,
      ),
    ];
    const report = await take(lines.join("\n"));
    expect(report).toMatchObject({
      records: 4,
      commits: [foreign],
      elsewhere: 2,
      problems: [{ line: 1, reason: expect.stringContaining("path") }, { line: 5 }],
    });
    expect(authors(foreign)).toHaveLength(1);
    expect(authors(foreign)[0]).toMatch(/^a\.ts:1-1 https:\/\/example\.com\/chats\/1\?token=\[REDACTED/);
  });
});

describe("exporting trace records", () => {
  it("has a record for each commit, which another memory can import", async () => {
    const records = await all(exportTraces(repo.work.project, repo.memory, null));
    expect(records.map((record) => published.safeParse(record).error?.issues ?? [])).toEqual([[]]);
    expect(records[0]!.vcs.revision).toBe(own);
    const other = repositoryWithAgents();
    try {
      other.git("fetch", "--quiet", repo.root, "main");
      const text = records.map((record) => JSON.stringify(record)).join("\n");
      await importTraces(other.work.project, text, { dryRun: false });
      const { id } = findCommitByHash(other.memory, own)!;
      expect(
        listAttributions(other.memory, id).map(({ author, sessionUid, model }) => [
          author,
          sessionUid,
          model,
        ]),
      ).toEqual([
        ["agent", "one", "big-model"],
        ["unknown", null, null],
      ]);
    } finally {
      other.remove();
    }
  });

  it("leaves out what another tool says", async () => {
    await take(traceOf(foreign, "a.ts", [{ start_line: 1, end_line: 4 }]));
    const records = await all(exportTraces(repo.work.project, repo.memory, null));
    expect(records.map(({ vcs }) => vcs.revision)).toEqual([own]);
  });
});
