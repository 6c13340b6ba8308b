import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { asker } from "../../../test/support/search-fixture.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import type { SessionQuery } from "./types.ts";

const day = 24 * 3600 * 1000;
const start = Date.UTC(2026, 0, 5);

let store: ReturnType<typeof temporaryMemory>;
let ask: ReturnType<typeof asker>["ask"];

beforeAll(() => {
  store = temporaryMemory();
  const { memory } = store;
  const on = (days: number) => ({ startedAt: start + days * day, endedAt: start + days * day + 1000 });
  const put = (session: number, ...all: ReturnType<typeof chunk>[]) => {
    for (const type of ["raw", "summary"] as const) {
      replaceChunks(
        memory,
        session,
        { type, from: 0 },
        all.filter((one) => one.type === type),
      );
    }
    all.forEach(({ files }, i) => {
      const touched = files.map((path) => ({ path, how: "edit" as const }));
      saveTurn(memory, session, turn(i + 1, { files: touched }));
    });
  };
  const first = addSession(memory, "aaaa-1");
  put(
    first.id,
    chunk(0, "a retry", { session: "aaaa-1", ...on(0), kind: "decision", files: ["src/http/retry.ts"] }),
    chunk(1, "a retry again", { session: "aaaa-1", ...on(1), branch: "side", files: ["app/[id]/page.tsx"] }),
    chunk(0, "a summed up retry", { session: "aaaa-1", ...on(1), type: "summary", files: [] }),
  );
  const agent = addSession(memory, "aaaa-1/agent-7", { parentId: first.id });
  put(
    agent.id,
    chunk(0, "a searched retry", { session: "agent", ...on(2), files: ["docs/retry.ts/old.md"] }),
  );
  const other = addSession(memory, "aabb-2", { agent: "other" });
  put(
    other.id,
    chunk(0, "another retry", { session: "aabb-2", ...on(3), files: ["/etc/hosts", "retry.ts"] }),
  );
  ({ ask } = asker(memory, store.dir, null));
});
afterAll(() => store.remove());

/** The results among the five, by words and by a pattern alike. */
async function found(more: Partial<SessionQuery>): Promise<string[]> {
  const contents = async (mode: "hybrid" | "regex") =>
    (await ask("retry", { ...more, mode })).results.map(({ content }) => content).sort();
  const maxTextMatches = await contents("hybrid");
  expect(await contents("regex")).toEqual(maxTextMatches);
  return maxTextMatches;
}

const all = ["a retry", "a retry again", "a searched retry", "a summed up retry", "another retry"];

it("leaves out sessions with their subagents", async () => {
  expect(await found({ leaves: ["aaaa-1", "unknown"] })).toEqual(["another retry"]);
});

it("is everything when all is left open", async () => {
  expect(await found({})).toEqual(all);
});

describe("limits to", () => {
  it.each<[string, Partial<SessionQuery>, string[]]>([
    ["what came later", { since: start + day + 1001 }, ["a searched retry", "another retry"]],
    ["what was going on then", { since: start + day + 1000 }, all.slice(1)],
    ["what came before", { until: start }, ["a retry"]],
    ["a day", { since: start + 2 * day, until: start + 3 * day - 1 }, ["a searched retry"]],
    ["types", { types: ["summary"] }, ["a summed up retry"]],
    ["several types", { types: ["summary", "annotated"] }, ["a summed up retry"]],
    ["kinds", { kinds: ["decision", "error-fix"] }, ["a retry"]],
    ["a branch", { branch: "side" }, ["a retry again"]],
    ["an agent", { agent: "other" }, ["another retry"]],
    [
      "several things at once",
      { branch: "main", kinds: ["conversation"], agent: "other" },
      ["another retry"],
    ],
    ["nothing", { branch: "nowhere" }, []],
  ])("%s", async (_, more, expected) => {
    expect(await found(more)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ["src/http/retry.ts", ["a retry"]],
    ["./src/http/retry.ts", ["a retry"]],
    ["src", ["a retry"]],
    ["src/http/", ["a retry"]],
    ["src/**/*.ts", ["a retry"]],
    ["*.ts", ["a retry", "another retry"]],
    ["retry.ts", ["a retry", "another retry"]],
    ["old.md", ["a searched retry"]],
    ["app/[id]/page.tsx", ["a retry again"]],
    ["app/[id]", ["a retry again"]],
    ["app", ["a retry again"]],
    ["/etc/hosts", ["another retry"]],
    [".", ["a retry", "a retry again", "a searched retry", "another retry"]],
    ["./", ["a retry", "a retry again", "a searched retry", "another retry"]],
    ["etry.ts", []],
    ["src/http/retry", []],
  ])("the file %s", async (file, expected) => {
    expect(await found({ files: [file] })).toEqual(expected);
  });

  it("any of several files", async () => {
    expect(await found({ files: ["src", "app"] })).toEqual(["a retry", "a retry again"]);
  });
});

describe("a session", () => {
  it.each(["aaaa-1", "aaa"])("by %s, with its subagents", async (session) => {
    expect(await found({ session })).toEqual(all.slice(0, 4));
  });

  it("may be a subagent's alone", async () => {
    expect(await found({ session: "aaaa-1/agent-7" })).toEqual(["a searched retry"]);
  });

  it("that is unknown is not found, and one that several could be is asked for", async () => {
    await expect(found({ session: "cccc" })).rejects.toMatchObject({ code: "not_found" });
    await expect(found({ session: "aa" })).rejects.toMatchObject({ code: "usage" });
  });
});

it("leaves out sessions that the language model of scrub.llm has yet to read, and says so", async () => {
  const { memory } = store;
  const all = await found({});
  enqueue(memory, { kind: "deep-scrub", subject: "aabb-2" });
  expect(await found({})).toEqual(all.filter((text) => text !== "another retry"));
  expect(await found({ since: start })).not.toContain("another retry");
  expect((await ask("retry", {})).notes).toEqual([
    "1 session waits for the language model of scrub.llm, and cannot be searched yet.",
  ]);
  memory.exec("DELETE FROM jobs");
  expect(await found({})).toEqual(all);
});
