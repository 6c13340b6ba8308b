import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { type Happening, prompt, ran, text, thinking, wrote } from "../../../test/support/turn-fixture.ts";
import { emptyForgetRequest, forget } from "../../store/memory/privacy/forget.ts";
import { createPatternCutter } from "../forget/forget-pattern.ts";
import { redactWholeSession } from "../scrub/redact-session.ts";
import { searchContent, searchContentForFirst } from "./content.ts";
import { SessionSearch } from "./engine.ts";
import { openQuery, type SessionQuery } from "./types.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

const day = (n: number) => Date.UTC(2026, 0, n);
const query = (words: string, more: Partial<SessionQuery> = {}): SessionQuery => ({
  ...openQuery,
  query: words,
  place: "content",
  by: "session",
  ...more,
});
const search = (words: string, more: Partial<SessionQuery> = {}) =>
  new SessionSearch({ root: stage.work.root, memory: stage.memory, embedder: null }).search(
    query(words, more),
  );
/** `session:turn` of what is found. */
const found = async (words: string, more: Partial<SessionQuery> = {}) =>
  (await search(words, more)).results.map(({ session_id, turn }) => `${session_id}:${turn}`);

/** Long output, which chunks show the beginning of only. */
const output = (line: string) =>
  `${"line of output\n".repeat(200)}step 77 of the pelican\n${line}\n${"more\n".repeat(200)}`;

const talk = (subject: string): Happening[] => [
  prompt(`Why does the ${subject} fail?`),
  ran(`npm test ${subject}`, output(`Error: connect ECONNREFUSED 127.0.0.1:54${subject.length}`)),
  text(`The ${subject} needs "a server", as C:\\temp says.`),
  prompt("And now?"),
  wrote("/repo/src/a.ts", `const ${subject} = 1;\nconst deep = "ECONNREFUSED";`),
];

describe("searching all that was said and done", () => {
  beforeEach(async () => {
    await stage.store("older", { at: day(1), branch: "one" }, ...talk("heron"));
    await stage.store("newer", { at: day(2), branch: "two" }, ...talk("bittern"));
  });

  it("finds tool output that no chunk shows, newest sessions first", async () => {
    expect(JSON.stringify(stage.rowsOf("chunks"))).not.toContain("step 77");
    expect(await found("step 77")).toEqual(["newer:1", "older:1"]);
    const { results, searched_by } = await search("econnrefused 127.0.0.1:545", {});
    expect(searched_by).toEqual(["content"]);
    expect(results).toMatchObject([
      {
        session_id: "older",
        turn: 1,
        found_in: { role: "tool_result", tool: "Bash" },
        match_reasons: [expect.stringContaining('contains "econnrefused"')],
      },
    ]);
    expect(results[0]!.snippet).toContain("ECONNREFUSED 127.0.0.1:545");
    expect(results[0]!.content).toContain("Error: connect ECONNREFUSED");
    expect(await found("ECONNREFUSED")).toEqual(["newer:2", "older:2"]);
  });

  it("gives a session once with its other turns, or every turn", async () => {
    const [newest] = (await search("econnrefused")).results;
    expect(newest).toMatchObject({ turn: 2, more_turns: 1, other_turns: [{ turn: 1 }] });
    expect(await found("econnrefused", { by: "turn" })).toEqual(["newer:2", "newer:1", "older:2", "older:1"]);
  });

  it.each<[string, Partial<SessionQuery>, string[]]>([
    ["heron fail", {}, ["older:1"]],
    ["fail heron", { match: "exact" }, []],
    ["heron fail", { match: "exact" }, ["older:1"]],
    ["HERON", {}, []],
    ["heron", {}, ["older:2"]],
    ['"heron fail" why', {}, ["older:1"]],
    ['"a server", as C:\\temp', { match: "exact" }, ["newer:1", "older:1"]],
    ["1;\nconst deep", { match: "exact" }, ["newer:2", "older:2"]],
    ["ECONNREFUSED [0-9.]+:54[0-5]$", { match: "regex" }, ["older:1"]],
    ["^const \\w+ = 1", { match: "regex" }, ["newer:2", "older:2"]],
    ["nothing of the kind", {}, []],
  ])("%s %j", async (words, how, expected) => {
    expect(await found(words, how)).toEqual(expected);
  });

  it.each<[Partial<SessionQuery>, string[]]>([
    [{ session: "older" }, ["older:2"]],
    [{ branch: "two" }, ["newer:2"]],
    [{ since: day(2) }, ["newer:2"]],
    [{ until: day(1) + 3_600_000 }, ["older:2"]],
    [{ agent: "codex" }, []],
    [{ files: ["src/a.ts"], until: day(1) + 3_600_000 }, ["older:2"]],
    [{ files: ["src/b.ts"] }, []],
    [{ limit: 1 }, ["newer:2"]],
  ])("within %j", async (filter, expected) => {
    expect(await found("econnrefused", filter)).toEqual(expected);
  });

  it("says whether there are more, and which filters have no meaning", async () => {
    const first = await search("econnrefused", { limit: 1 });
    expect(first).toMatchObject({ total_results: 2, notes: [expect.stringContaining("more than 1")] });
    expect((await search("econnrefused", { limit: 2 })).notes).toEqual([]);
    await expect(search("x", { kinds: ["decision"] })).rejects.toMatchObject({ code: "usage" });
    await expect(search("[", { match: "regex" })).rejects.toMatchObject({ code: "usage" });
  });

  it("reads whose words they are", async () => {
    await stage.store(
      "s",
      { at: day(3) },
      prompt("aardvark"),
      thinking("badger"),
      text("cormorant"),
      ran("dodo"),
    );
    const roleOf = async (word: string) => (await search(word)).results[0]?.found_in;
    expect(await roleOf("aardvark")).toEqual({ role: "prompt", tool: null });
    expect(await roleOf("badger")).toEqual({ role: "thinking", tool: null });
    expect(await roleOf("cormorant")).toEqual({ role: "answer", tool: null });
    expect(await roleOf("dodo")).toEqual({ role: "tool_use", tool: "Bash" });
  });
});

it("finds nothing that was forgotten or cut out", async () => {
  const { id } = await stage.store("s", ...talk("heron"));
  await redactWholeSession(stage.work, id, { clean: createPatternCutter("54\\d").cut });
  expect(await found("127.0.0.1:545")).toEqual([]);
  expect(await found("econnrefused 127.0.0.1")).toEqual(["s:1"]);
  forget(stage.memory, { ...emptyForgetRequest, turns: new Map([[id, [2]]]) });
  expect(await found("econnrefused")).toEqual(["s:1"]);
  forget(stage.memory, { ...emptyForgetRequest, sessions: [id] });
  expect(await found("econnrefused")).toEqual([]);
});

it("searches for the first of several texts that there is, whichever turns have the others", async () => {
  await stage.store("new", { at: day(2) }, prompt("the heron"));
  await stage.store("old", { at: day(1) }, prompt("a cormorant"), prompt("a heron"));
  const find = async (...texts: string[]) => {
    const { groups } = await searchContentForFirst(stage.memory, query(""), texts);
    return groups.map(({ shown, others }) => [shown.text, others.length]);
  };
  expect(await find("cormorant", "heron")).toEqual([["a cormorant", 0]]);
  expect(await find("dodo", "heron", "cormorant")).toEqual([
    ["the heron", 0],
    ["a heron", 0],
  ]);
  expect(await find("dodo", "moa")).toEqual([]);
});

it("leaves out what is forgotten while it is searched", async () => {
  const ids: number[] = [];
  for (let n = 1; n <= 4; n++) ids.push((await stage.store(`s${n}`, { at: day(n) }, ...talk("heron"))).id);
  const all = () => searchContent(stage.memory, query("econnrefused"), { sliceMs: 0 });
  expect((await all()).groups).toHaveLength(4);
  const asked = all();
  forget(stage.memory, { ...emptyForgetRequest, sessions: ids });
  expect((await asked).groups).toEqual([]);
});

it("takes linear time for hostile patterns, can be stopped, and says how far it got", async () => {
  await stage.store("old", { at: day(1) }, prompt("b"), ran("x", `${"a".repeat(7000)}!`));
  await stage.store("new", { at: day(2) }, prompt("b"), ran("x", `${"a ".repeat(3500)}!`));
  expect(await found("^(a+)+$", { match: "regex" })).toEqual([]);
  expect(await found("(a|aa)*(a|a?)+c", { match: "regex" })).toEqual([]);
  const late = await searchContent(stage.memory, query("a"), { limitMs: -1 });
  expect(late).toMatchObject({
    groups: [],
    notes: [expect.stringMatching(/^Stopped after .* before 2026-01-02/)],
  });
  const stopped = searchContent(stage.memory, query("a"), { signal: AbortSignal.abort(new Error("gone")) });
  await expect(stopped).rejects.toThrow("gone");
});
