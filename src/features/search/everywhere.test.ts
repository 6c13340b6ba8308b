import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { listProjectsToAsk } from "../../answers/ask-projects.ts";
import { answerHere } from "../../answers/here.ts";
import { reindexProject } from "../../answers/reindex.ts";
import { run } from "../../answers/run.ts";
import { locateRegistry } from "../../base/home.ts";
import { makeNewProject, makeProject, type Project } from "../../base/paths.ts";
import { callTool, findCallable } from "../../faces/mcp/server/call-tool.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { Memory } from "../../store/memory/memory.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { Registry } from "../../store/registry.ts";
import { findProjectByName, readMemorySize } from "../projects/known-projects.ts";
import { listSessionsEverywhere, locateSession } from "../sessions/everywhere.ts";
import { searchEverywhere } from "./everywhere.ts";
import { mergeCode, mergeTranscripts } from "./merge.ts";

let home: ReturnType<typeof temporaryHome>;
let dir: string;
beforeEach(() => {
  home = temporaryHome();
  dir = join(home.dir, "code");
  mkdirSync(dir);
});
afterEach(() => home.remove());

async function newProject(name: string, files: Record<string, string> = {}): Promise<Project> {
  const root = join(dir, name);
  mkdirSync(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const project = makeNewProject(root);
  await rememberProject(project, { named: true });
  return project;
}

async function index(project: Project): Promise<void> {
  await reindexProject(project, [], {});
}

function remember(project: Project, session: string, text: string, lastAt: number): void {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const { id } = addSession(memory, session, { cwd: project.root, lastAt, startedAt: lastAt - 1 });
  saveTurn(memory, id, turn(1));
  replaceChunks(memory, id, { type: "raw", from: 0 }, [chunk(0, text, { session })]);
  memory.close();
}

const dates = "export function parseDate(text: string): Date {\n  return new Date(text);\n}\n";
const colours = "export function mixColours(a: number, b: number) {\n  return (a + b) / 2;\n}\n";

describe("the project of a session", () => {
  it("is the other one that stores it, by its id or the beginning of it", async () => {
    const one = await newProject("one");
    const two = await newProject("two");
    await newProject("three");
    remember(one, "aaaa-1", "here", 1000);
    remember(two, "bbbb-2", "there", 2000);
    expect((await locateSession({ id: "bbbb-2", here: one.root })).root).toBe(two.root);
    expect((await locateSession({ id: "bbbb", here: one.root })).root).toBe(two.root);
    // That one was asked already.
    expect(await locateSession({ id: "aaaa", here: one.root })).toEqual({ root: null });
    expect(await locateSession({ id: "cccc", here: one.root })).toEqual({ root: null });
    expect(await locateSession({ id: "bbbb-2", here: one.root }, 0)).toEqual({ root: null });
  });

  it("is found by get_session, and a project by its name", async () => {
    const one = await newProject("one");
    const two = await newProject("two");
    await newProject("group/one");
    remember(one, "aaaa-1", "here", 1000);
    remember(two, "bbbb-2", "there", 2000);
    const caller = { cwd: one.root, signal: new AbortController().signal };
    const call = async (name: string, args: object) => {
      const { content, isError } = await callTool(findCallable(name)!, args, caller);
      const [part] = content;
      return { text: part?.type === "text" ? part.text : "", isError };
    };
    expect((await call("get_session", { session_id: "bbbb" })).text).toContain("session bbbb-2");
    expect((await call("recall", { id: "bbbb" })).text).toContain("session bbbb-2");
    expect(await call("get_session", { session_id: "cccc" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("not_found"),
    });
    expect((await call("search_sessions", { project: "two" })).text).toContain("bbbb-2");
    expect((await call("search_sessions", { project: two.root, query: "there" })).text).toContain("[bbbb-2:");
    expect((await call("list_decisions", { project: "two" })).isError).toBeUndefined();
    expect(() => findProjectByName("one", `${dir}/none`)).toThrow("2 projects are called one");
    expect(() => findProjectByName("four", dir)).toThrow("There is no project four");
    expect(findProjectByName("one", dir).root).toBe(one.root);
    expect(await readMemorySize(one)).toEqual({ sessions: 1, turns: 1 });
    expect(await readMemorySize(makeNewProject(join(dir, "group/one")))).toEqual({
      sessions: null,
      turns: null,
    });
  });
});

describe("searching all projects", () => {
  it("asks only those in a directory if told so", async () => {
    await newProject("one");
    mkdirSync(join(dir, "group"));
    const inside = await newProject("group/two");
    expect(
      (await listProjectsToAsk({ below: join(dir, "group") })).map(({ project }) => project.root),
    ).toEqual([inside.root]);
    expect(await listProjectsToAsk({ below: join(dir, "gro") })).toEqual([]);
    expect(await listProjectsToAsk({})).toHaveLength(2);
  });

  it("finds matches in another project, names it, and ranks them above weaker ones here", async () => {
    const one = await newProject("one", { "dates.ts": dates });
    const two = await newProject("two", { "colours.ts": colours });
    for (const project of [one, two]) await index(project);
    remember(one, "s1", "[ASSISTANT] We parse dates by hand.", 1000);
    remember(two, "s2", "[ASSISTANT] Colours are mixed in linear light.", 2000);
    const { projects, left_out, ...answer } = await searchEverywhere({
      asks: ["code", "transcripts"],
      here: two.root,
      q: "parse a date",
    });
    expect(projects).toEqual([two.root, one.root]);
    expect(left_out).toEqual([]);
    expect(answer.code?.results[0]).toMatchObject({ project: one.root, file: "dates.ts", score: 1 });
    expect(answer.code?.results[0]).not.toHaveProperty("signals");
    expect(answer.transcripts?.results[0]).toMatchObject({ project: one.root, session_id: "s1" });
    const explained = await searchEverywhere({ asks: ["code"], q: "mix colours", explain: true, limit: 1 });
    expect(explained.code?.results).toHaveLength(1);
    expect(explained.code?.results[0]?.signals).toHaveProperty("semantic");
    expect(explained.transcripts).toBeNull();
  });

  it("leaves out what cannot be read, and answers all the same", async () => {
    const one = await newProject("one", { "dates.ts": dates });
    const two = await newProject("two");
    const gone = await newProject("gone");
    await index(one);
    mkdirSync(two.cacheDir, { recursive: true });
    writeFileSync(two.indexDb, "no database, but long enough to be looked into ".repeat(100));
    rmSync(gone.root, { recursive: true });
    const { projects, left_out, ...answer } = await searchEverywhere({
      asks: ["code", "transcripts"],
      q: "parse a date",
    });
    expect(projects).toEqual([one.root]);
    expect(left_out).toMatchObject([{ project: two.root, reason: expect.stringContaining("damaged") }]);
    expect(answer.code?.results[0]?.file).toBe("dates.ts");
    expect(answer.transcripts?.results).toEqual([]);
  });

  it("without a registry, searches the current project", async () => {
    const one = await newProject("one", { "dates.ts": dates });
    await index(one);
    Registry.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(locateRegistry() + end, { force: true });
    mkdirSync(locateRegistry());
    const { projects } = await searchEverywhere({ asks: ["code"], here: one.root, q: "parse a date" });
    expect(projects).toEqual([one.root]);
  });

  it("sends no request after the deadline", async () => {
    const one = await newProject("one", { "dates.ts": dates });
    await index(one);
    const { projects, left_out } = await searchEverywhere(
      { asks: ["code"], here: one.root, q: "parse a date" },
      0,
    );
    expect(projects).toEqual([]);
    expect(left_out).toMatchObject([{ project: one.root }]);
  });

  it("reports an invalid request at once", async () => {
    const one = await newProject("one");
    remember(one, "s1", "x", 1);
    await expect(searchEverywhere({ asks: ["transcripts"], q: "(", mode: "regex" })).rejects.toMatchObject({
      code: "usage",
    });
  });

  it("asks a project once, however many checkouts it has", async () => {
    const main = await newProject("main");
    remember(main, "s1", "x", 1);
    const other = makeProject(main.id, join(dir, "other"));
    mkdirSync(other.root);
    await rememberProject(other);
    for (const here of [main, other]) {
      const asked = await listProjectsToAsk({ here: here.root });
      expect(asked.map(({ project, withMemory }) => [project.root, withMemory])).toEqual([[here.root, true]]);
    }
    expect(await listProjectsToAsk({})).toHaveLength(1);
  });
});

describe("listing sessions of all projects", () => {
  it("puts the latest first, whatever project it is of", async () => {
    const [one, two] = [await newProject("one"), await newProject("two")];
    await newProject("empty");
    remember(one, "early", "x", 1000);
    remember(two, "middle", "x", 2000);
    remember(one, "late", "x", 3000);
    const { left_out, ...answer } = await listSessionsEverywhere({ limit: 2 });
    expect(left_out).toEqual([]);
    expect(answer.total).toBe(3);
    expect(answer.sessions.map(({ id, project }) => [id, project])).toEqual([
      ["late", one.root],
      ["middle", two.root],
    ]);
    await expect(listSessionsEverywhere({ since: "whenever" })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("merging", () => {
  const merging = { query: "q", limit: 100, explain: true, took: 1 };
  const codePart = (project: string, results: { score: number; semantic: number; lexical?: number }[]) => ({
    project,
    answer: {
      query: "q",
      results: results.map(({ score, semantic, lexical = 0 }, i) => ({
        id: `${project}${i}`,
        file: "f",
        start_line: 1,
        end_line: 1,
        level: "method" as const,
        kind: "method",
        language: "typescript",
        name: "n",
        score,
        content: "",
        parent_id: null,
        parent_name: null,
        match_reasons: [],
        freshness: "fresh" as const,
        places: [],
        also_in: [],
        signals: { semantic, lexical, penalty: 1 },
      })),
      verdict: "maybe" as const,
      probability: 0.5,
      total_results: results.length,
      search_time_ms: 1,
      searched_by: ["words"],
      notes: [`note of ${project}`],
      index: { pending: null, is_complete: true, as_of: "2026-01-01T00:00:00.000Z" },
    },
  });

  it("ranks by absolute scores, not by each project's own best", () => {
    const far = codePart("/far", [{ score: 1, semantic: 0.1, lexical: 5 }]);
    const near = codePart("/near", [
      { score: 1, semantic: 0.8 },
      { score: 0.5, semantic: 0.7 },
    ]);
    const merged = mergeCode([far, near], merging);
    expect(merged.results.map(({ id, score }) => [id, score])).toEqual([
      ["/near0", 1],
      ["/near1", 0.5],
      ["/far0", 0.125],
    ]);
    expect(merged.notes).toEqual(["/far: note of /far", "/near: note of /near"]);
    expect(merged.total_results).toBe(3);
    expect(mergeCode([], merging)).toMatchObject({ results: [], index: { as_of: null, is_complete: true } });
  });

  it("adds up how much was there to search in those that are not read in full", () => {
    const part = (project: string, done: number | null) => {
      const { answer } = codePart(project, [{ score: 1, semantic: 0.5 }]);
      const coverage = { of: "files" as const, done, total: 10, files_read: 9 };
      return { project, answer: { ...answer, verdict: "not_yet" as const, coverage } };
    };
    const whole = codePart("/whole", [{ score: 1, semantic: 0.5 }]);
    expect(mergeCode([whole], merging).coverage).toBeUndefined();
    const sum = { of: "files", done: 5, total: 20, files_read: 18 };
    expect(mergeCode([whole, part("/a", 2), part("/b", 3)], merging).coverage).toEqual(sum);
    expect(mergeCode([part("/a", 2), part("/b", null)], merging)).toMatchObject({
      verdict: "not_yet",
      coverage: { ...sum, done: null },
    });
  });

  it("keeps each project's own order, whatever the order of the projects", () => {
    const scores = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(scores, { minLength: 1, maxLength: 4 }), (all) => {
        const parts = all.map((own, i) =>
          codePart(
            `/p${i}`,
            own.sort((a, b) => b - a).map((score) => ({ score: score / own[0]!, semantic: own[0]! })),
          ),
        );
        const ids = mergeCode(parts, merging).results.map(({ id }) => id);
        expect(mergeCode([...parts].reverse(), merging).results.map(({ id }) => id)).toEqual(ids);
        for (const { answer } of parts) {
          const own = answer.results.map(({ id }) => id);
          expect(ids.filter((id) => own.includes(id))).toEqual(own);
        }
      }),
    );
  });

  it("gives what two clones both have once, with the better score", () => {
    const part = (project: string, score: number, content: string) => ({
      project,
      answer: {
        scope: "transcripts" as const,
        query: "q",
        results: [
          {
            id: "1",
            source: "transcript" as const,
            session_id: "s",
            session_title: null,
            agent: "claude",
            branch: null,
            turn: 1,
            last_turn: 1,
            chunk_type: "raw" as const,
            kind: "conversation" as const,
            event_type: "mixed" as const,
            timestamp: null,
            score,
            annotation: null,
            snippet: content,
            content,
            files: [],
            freshness: null,
            abandoned: false,
            rejected: null,
            commits: [],
            match_reasons: [],
            more_turns: 0,
            other_turns: [],
          },
        ],
        verdict: "maybe" as const,
        probability: 0.5,
        total_results: 3,
        searched_by: [],
        notes: [],
        search_time_ms: 1,
        memory: { pending: 0, as_of: null },
      },
    });
    const parts = [part("/a", 0.5, "x"), part("/b", 0.6, "x"), part("/c", 0.4, "y")];
    const { results, total_results } = mergeTranscripts(parts, { ...merging, by: "turn" });
    expect(results.map(({ project }) => project)).toEqual(["/b", "/c"]);
    expect(total_results).toBe(8);
    const bySession = mergeTranscripts(parts, { ...merging, by: "session" });
    expect(bySession.results.map(({ project }) => project)).toEqual(["/b"]);
  });

  it("merges nothing into nothing", () => {
    expect(mergeTranscripts([], { ...merging, by: "session" })).toMatchObject({
      results: [],
      memory: { pending: 0, as_of: null },
    });
  });
});

it("has a daemon open the projects to search them, and none to list their sessions", async () => {
  const [one, two] = [await newProject("one"), await newProject("two")];
  remember(one, "aaaa-1", "saffron", 1000);
  remember(two, "bbbb-2", "saffron", 2000);
  const opened: (string | null)[] = [];
  const undo = answerHere((place, operation, request) => {
    opened.push(place);
    return run(operation, place === one.root ? one : two, request);
  });
  try {
    const { sessions } = await listSessionsEverywhere({});
    expect(sessions.map(({ id }) => id)).toEqual(["bbbb-2", "aaaa-1"]);
    expect(opened).toEqual([]);
    await searchEverywhere({ q: "saffron", asks: ["transcripts"] });
    expect(opened.toSorted()).toEqual([one.root, two.root]);
  } finally {
    undo();
  }
});
