import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wrote } from "../../../test/support/attribution-fixture.ts";
import { collectedStreams } from "../../../test/support/collected-streams.ts";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { repositoryWithAgents } from "../../../test/support/repository-with-agents-fixture.ts";
import { runCommandLine } from "../../faces/cli/run-command-line.ts";

let repo: ReturnType<typeof repositoryWithAgents>;
let hash: string;
const text = "export const answer = computeTheAnswer();\nexport const other = computeAnother();\n";

/** Runs `pm share attribution` in the repository. */
async function run(...args: string[]) {
  const { streams, written } = collectedStreams();
  const code = await runCommandLine(["attribution", ...args], { cwd: repo.root, streams, isRemote: false });
  return { code, out: written[1], err: written[2] };
}

beforeEach(async () => {
  repo = repositoryWithAgents();
  await repo.commitAndTake("Start", { "start|.ts": "start();\n" });
  addSession(repo.memory, "one");
  repo.did("one", wrote("a|b.ts", text, repo.soon()));
  hash = await repo.take(repo.commit("Answer", { "a|b.ts": `${text}const third = 3;\n` }), {
    seen: "history",
  });
});
afterEach(() => repo.remove());

describe("pm share attribution export", () => {
  it("says what it wrote, and how to take it back", async () => {
    expect((await run("export", "--git-ai", "--dry-run")).out).toContain(
      "1 new note for refs/notes/ai. Nothing was written (--dry-run).",
    );
    expect(repo.git("for-each-ref", "refs/notes")).toBe("");
    expect((await run("export", "--git-ai")).out).toContain("Undo:         git update-ref -d refs/notes/ai");
    expect((await run("export", "--git-ai")).out).toMatch(/^Nothing to write\.\n1 note already up to date\./);
    const { out } = await run("export", "--git-ai", "HEAD", "--json");
    expect(JSON.parse(out)).toMatchObject({ format: "git-ai", unchanged: 1, written: [], kept: [] });
  });

  it("writes trace records to stdout, or to a file of the user alone", async () => {
    const { out } = await run("export", "--agent-trace", "HEAD");
    expect(JSON.parse(out)).toMatchObject({ vcs: { revision: hash } });
    expect(JSON.parse((await run("export", "--agent-trace", "HEAD", "--json")).out)).toHaveLength(1);
    const file = join(repo.root, "traces.jsonl");
    expect((await run("export", "--agent-trace", "HEAD", "--to", "traces.jsonl")).out).toContain(
      "Wrote 1 trace record",
    );
    expect(readFileSync(file, "utf8")).toBe(out);
    expect(await run("export", "--agent-trace", "HEAD", "--to", "traces.jsonl")).toMatchObject({ code: 2 });
  });

  it("asks for one format", async () => {
    expect(await run("export")).toMatchObject({ code: 2, err: expect.stringContaining("No format given.") });
    expect(await run("export", "--git-ai", "--agent-trace")).toMatchObject({ code: 2 });
    expect(await run("export", "--git-ai", "nowhere..HEAD")).toMatchObject({ code: 5 });
  });
});

describe("pm share attribution import", () => {
  it("imports its own export, names what is none, and fails without any", async () => {
    const { out } = await run("export", "--agent-trace", "HEAD");
    const file = join(repo.root, "traces.jsonl");
    writeFileSync(file, `${out}not JSON\n`);
    const imported = await run("import", "traces.jsonl");
    expect(imported).toMatchObject({ code: 1, err: "line 2: not JSON\n" });
    expect(imported.out).toContain("Nothing new.\n1 commit imported before.");
    writeFileSync(file, "not JSON\n");
    expect(await run("import", "traces.jsonl")).toMatchObject({ code: 1, out: "" });
    expect(await run("import", "nowhere.jsonl")).toMatchObject({ code: 5 });
  });
});
