import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { PommelError } from "../../base/errors.ts";
import { measureWidth, withoutEscapes } from "../../base/text/display-width.ts";
import type { CheckpointSummary } from "../checkpoints/operation.ts";
import type { NowResponse } from "../now/operation.ts";
import type { SearchAllResponse } from "../search/operation.ts";
import type { SessionResponse, SessionSummary, TurnInFull, TurnsResponse } from "../sessions/operation.ts";
import { BrowseAnswers } from "./answers.ts";
import { type BrowseState, buildView, computeContentHeight, drawFrame, getCurrentPage } from "./frame.ts";
import { buildFirstState } from "./pm-browse.ts";
import { type Effect, handleKey } from "./press.ts";
import type { BrowseSurroundings } from "./view.ts";

const evil = "\u001b]0;evil\u0007\u001b[2J\u202e修正登录页面 👩‍💻🎉 and\nmany more words ".repeat(4);

const summary = (id: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  id,
  agent: "claude",
  title: `Title of ${id}`,
  topics: [],
  branch: "main",
  cwd: "/repo",
  started_at: null,
  last_at: null,
  ended_at: null,
  end_reason: null,
  turns: 3,
  chunks: 0,
  annotations: 0,
  decisions: 0,
  agents: 0,
  models: [],
  parent_id: null,
  parent_tool_use: null,
  agent_type: null,
  forked_from: null,
  tokens: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
  ...more,
});

const turn = (number: number, text: string): TurnInFull => ({
  number,
  started_at: null,
  ended_at: null,
  branch: null,
  abandoned: false,
  entries: [
    { kind: "prompt", timestamp: null, text, images: 0, tool: null, omitted: 0 },
    {
      kind: "tool",
      timestamp: null,
      text: "",
      images: 0,
      omitted: 0,
      tool: {
        id: "t1",
        name: "Edit",
        action: "write",
        took_ms: null,
        headline: "Edit src/retry.ts",
        command: null,
        result: "done",
        is_error: false,
        subagent: null,
        edits: [{ file: "src/retry.ts", is_whole: false, lines: ["@@", "-old line", "+new line"] }],
      },
    },
  ],
});

function sessionOf(count: number, promptOf: (number: number) => string): SessionResponse {
  return {
    session: summary("8ecde0fc", { turns: count }),
    brief: {
      asked: "",
      last_asked: "",
      outcome: "",
      open: "",
      checks: [],
      rejected: null,
      state: null,
      files: [],
      commits: [],
      commands: [],
    },
    summary: null,
    files: [],
    annotations: [],
    agents: [],
    resume: null,
    content: null,
    turns: Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      started_at: null,
      ended_at: null,
      branch: null,
      abandoned: false,
      tools: {},
      commands: { ran: 0, failed: 0, fixed: 0 },
      files: [],
      get prompt() {
        return promptOf(i + 1);
      },
    })),
  };
}

const noCost = {
  sessions: 1,
  input: 0,
  output: null,
  cache_read: 0,
  cache_write: 0,
  dollars: 0,
  without_output: 0,
  unpriced_tokens: 0,
};

const found = (text: string): SearchAllResponse => ({
  scope: "all",
  query: "retry",
  verdict: "found",
  notes: [],
  history: null,
  code: {
    query: "retry",
    verdict: "found",
    probability: 0.9,
    total_results: 1,
    search_time_ms: 4,
    searched_by: ["words"],
    notes: [],
    index: { pending: 0, is_complete: true, as_of: null },
    results: [
      {
        id: "1",
        file: "src/retry.ts",
        start_line: 10,
        end_line: 12,
        level: "method",
        kind: "function",
        language: "typescript",
        name: `retry ${text}`,
        score: 1,
        places: [],
        also_in: [],
        parent_id: null,
        parent_name: null,
        match_reasons: [`defines ${text}`],
        freshness: "fresh",
        content: `function retry() {\n  // ${text}\n}`,
      },
    ],
  },
  transcripts: {
    scope: "transcripts",
    query: "retry",
    total_results: 1,
    searched_by: ["words"],
    verdict: "maybe",
    probability: 0.5,
    notes: [],
    search_time_ms: 4,
    memory: { pending: 0, as_of: null },
    results: [
      {
        id: "2",
        source: "transcript",
        session_id: "8ecde0fc",
        session_title: text,
        agent: "claude",
        branch: text,
        turn: 7,
        last_turn: 7,
        chunk_type: "raw",
        kind: "conversation",
        event_type: "mixed",
        timestamp: null,
        score: 1,
        annotation: null,
        snippet: text,
        content: `[USER] retry ${text}`,
        files: [text],
        freshness: null,
        rejected: null,
        abandoned: false,
        commits: [],
        more_turns: 0,
        other_turns: [],
        match_reasons: [text],
      },
    ],
  },
});

/** A reader before a terminal of a size. */
function reader(state: BrowseState, { columns = 80, rows = 24, color = false } = {}) {
  const around: BrowseSurroundings = {
    screen: { ...screenOf(columns, { color }), columns },
    height: computeContentHeight(rows),
    answers: new BrowseAnswers(),
    locate(text) {
      const [, file, line] = /^(.+):(\d+)$/.exec(text) ?? [];
      if (file === undefined) throw new PommelError("not_found", `There is no ${text}.`);
      return { file, first_line: Number(line), last_line: Number(line) };
    },
  };
  const one = {
    state,
    effects: [] as Effect[],
    answers: around.answers,
    view: () => buildView(getCurrentPage(one.state), around),
    lines() {
      const lines = drawFrame(one.state, one.view(), "app", around);
      expect(lines).toHaveLength(rows - 1);
      for (const line of lines) {
        expect(measureWidth(line)).toBeLessThanOrEqual(columns);
        expect(withoutEscapes(line)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }
      return lines;
    },
    text: () => one.lines().join("\n"),
    /** Names of keys, or characters. */
    press(...keys: string[]) {
      for (const key of keys) {
        const pressed = handleKey(
          one.state,
          key.length > 1 ? { name: key } : { typed: key },
          one.view(),
          around,
        );
        one.state = pressed.state;
        if (pressed.effect) one.effects.push(pressed.effect);
      }
    },
    type: (text: string) => one.press(...text),
  };
  return one;
}

const sizes = [60, 80, 119, 120, 200].flatMap((columns) => [15, 24, 60].map((rows) => ({ columns, rows })));

describe("sessions", () => {
  const request = { limit: 1000 };
  const many = Array.from({ length: 1000 }, (_, i) => summary(`id${i}`));

  it("says that it loads, what went wrong, and that there is nothing", () => {
    const page = reader(buildFirstState(undefined, []));
    expect(page.view().asks).toEqual([{ route: "sessions", request }]);
    expect(page.text()).toContain("Loading…");
    page.answers.set({ route: "sessions", request }, { error: "No memory here. Run `pm init`." });
    expect(page.text()).toContain("No memory here. Run `pm init`.");
    page.answers.set({ route: "sessions", request }, { value: { sessions: [], total: 0 } });
    expect(page.text()).toContain("No sessions. `pm import` imports past ones.");
    page.press("enter", "y");
    expect(page.text()).toContain("Nothing here has an id.");
  });

  it("moves, filters, opens and copies", () => {
    const page = reader(buildFirstState(undefined, []));
    page.answers.set({ route: "sessions", request }, { value: { sessions: many, total: 1200 } });
    expect(page.text()).toContain("1,000 of 1,200");
    page.press("j", "down", "k");
    expect(page.text()).toContain("❯ id1 ");
    page.press("G");
    expect(page.text()).toContain("❯ id999 ");
    page.press("page up", "g", "page down");
    expect(page.text()).toContain("❯ id18 ");
    page.press("/");
    page.type("OF id77x");
    page.press("backspace", "y");
    expect(page.text()).toContain("No sessions match.");
    page.press("backspace", "down", "down");
    expect(page.text()).toContain("11 of 1,200");
    expect(page.text()).toContain("❯ id771 ");
    page.press("escape", "y", "enter");
    expect(page.effects).toEqual([{ kind: "copy", text: "id771" }]);
    expect(page.view().asks).toEqual([{ route: "session", request: { id: "id771" } }]);
    page.press("escape");
    expect(page.text()).toContain("❯ id771 ");
    page.press("q");
    expect(page.effects.at(-1)).toEqual({ kind: "leave" });
  });

  it("names its columns, and shows the chosen session beside them where there is room", () => {
    const page = reader(buildFirstState(undefined, []), { columns: 160, rows: 24, color: false });
    page.answers.set({ route: "sessions", request }, { value: { sessions: many.slice(0, 3), total: 3 } });
    expect(page.text()).toMatch(/Session +Last +Turns +Title/);
    const asked = { route: "session", request: { id: "id0" } } as const;
    expect(page.view().asks).toContainEqual(asked);
    page.answers.set(asked, { value: sessionOf(2, () => "") });
    expect(page.text()).toMatch(/❯ id0 .*│ Title of 8ecde0fc/);
  });

  it.each(sizes)("keeps its frame at $columns x $rows, whatever was recorded", (size) => {
    for (const color of [false, true]) {
      const page = reader(buildFirstState("sessions", [evil]), { ...size, color });
      const sessions = [summary("8ecde0fc", { title: evil, branch: evil, agent: "\u001b[31mx" })];
      page.answers.set({ route: "sessions", request }, { value: { sessions, total: 1 } });
      page.lines();
      page.press("/", "ctrl u");
      expect(page.text()).toContain("8ecde0fc");
    }
  });
});

describe("now", () => {
  const listed = (id: string, title: string) => ({
    ...summary(id, { title }),
    prompt: "",
    files: 1,
    checks: [],
  });
  const nowOf = (text: string): NowResponse => ({
    running: [
      {
        ...listed("aaaaaaaa", text),
        pending: "npm test",
        waiting: { for: "permission", since: "2026-03-01T09:00:00Z" },
        context_tokens: null,
        cost: noCost,
      },
    ],
    to_look_at: [{ ...listed("bbbbbbbb", text), outcome: text, commits: [] }],
    unfinished: [{ ...listed("cccccccc", text), open: text, resume: "claude --resume=cccccccc" }],
  });
  const question = { route: "now", request: {} } as const;

  it("lists who waits, what to look at and what is unfinished, to be read and gone on with", () => {
    const page = reader(buildFirstState("now", []), { columns: 100 });
    expect(page.text()).toContain("Loading…");
    page.answers.set(question, { value: nowOf("Retry") });
    expect(page.text()).toContain("1 agent waits for you, 1 session to look at, 1 unfinished");
    expect(page.text()).toMatch(
      /❯ Waits for you +aaaaaaaa {2}Retry\n.*waits for your permission.*: npm test/,
    );
    page.press("j", "j", "y", "enter");
    expect(page.effects).toEqual([{ kind: "copy", text: "claude --resume=cccccccc" }]);
    expect(getCurrentPage(page.state)).toMatchObject({ kind: "session", id: "cccccccc", turn: 3 });
  });

  it("says that there is nothing", () => {
    const page = reader(buildFirstState("now", []));
    page.answers.set(question, { value: { running: [], to_look_at: [], unfinished: [] } });
    expect(page.text()).toContain("No agent is at work, and nothing waits for you.");
  });

  it.each(sizes)("keeps its frame at $columns x $rows, whatever was said", (size) => {
    const page = reader(buildFirstState("now", []), { ...size, color: true });
    page.answers.set(question, { value: nowOf(evil) });
    expect(page.text()).toContain("aaaaaaaa");
    const asked = { route: "session" as const, request: { id: "aaaaaaaa" } };
    expect(page.view().asks.slice(1)).toEqual(size.columns < 120 ? [] : [asked]);
  });
});

describe("commits", () => {
  const question = { route: "checkpoints", request: { limit: 500 } } as const;
  const commitOf = (commit: string, subject: string): CheckpointSummary => ({
    id: commit,
    commit,
    tree: commit,
    branch: "main",
    parent_id: null,
    author: "Ann",
    subject,
    committed_at: "2026-03-01T09:00:00Z",
    insertions: 12,
    deletions: 3,
    lines: { agent: 9, human: 3, unknown: 0 },
    sessions: [],
    rewritten_as: [],
  });

  it.each(sizes)("are listed at $columns x $rows, and one is opened", (size) => {
    const page = reader(buildFirstState("commits", []), size);
    expect(page.text()).toContain("Loading…");
    const checkpoints = [commitOf("a".repeat(40), evil), commitOf("b".repeat(40), "Try again")];
    page.answers.set(question, { value: { checkpoints, total: 2 } });
    expect(page.text()).toMatch(/❯ aaaaaaaa .* 75% /);
    page.press("j", "y");
    expect(page.text()).toContain("Copied bbbb");
    page.press("enter");
    expect(getCurrentPage(page.state)).toMatchObject({ kind: "commit", hash: "b".repeat(40) });
  });
});

describe("search", () => {
  const request = { q: "retry", limit: 20 };

  it("asks as one types, and keeps what was found until there is something else", () => {
    const page = reader(buildFirstState("search", []));
    expect(page.text()).toContain("Type to search");
    page.type("retry");
    expect(page.view().asks).toEqual([{ route: "searchAll", request }]);
    expect(page.text()).toContain("Searching…");
    page.answers.set({ route: "searchAll", request }, { value: found("now") });
    expect(page.text()).toContain("❯ src/retry.ts:10  function retry now");
    expect(page.text()).toContain("found; 2 of 2 results, 4 ms");
    page.type("x");
    expect(page.text()).toContain("src/retry.ts:10");
    expect(page.text()).toContain("searching…");
    // What is shown is not what was asked for yet.
    page.press("enter");
    expect(getCurrentPage(page.state).kind).toBe("search");
  });

  it("opens the line of code, the turn of a session, and the file", () => {
    const page = reader(buildFirstState("search", ["retry"]));
    page.answers.set({ route: "searchAll", request }, { value: found("now") });
    page.press("o", "y", "enter");
    expect(page.effects).toEqual([
      { kind: "edit", file: "src/retry.ts", line: 10 },
      { kind: "copy", text: "src/retry.ts:10" },
    ]);
    const lines = { file: "src/retry.ts", first_line: 10, last_line: 10 };
    expect(page.view().asks).toEqual([{ route: "why", request: lines }]);
    page.press("escape", "j", "enter");
    expect(getCurrentPage(page.state)).toMatchObject({ kind: "session", id: "8ecde0fc", turn: 7 });
  });

  it("says how much was there to search, and nothing of what is not read yet", () => {
    const page = reader(buildFirstState("search", ["retry"]));
    const { code } = found("x");
    const coverage = { of: "files" as const, done: 1, total: 8, files_read: 8 };
    const partly = { ...code!, verdict: "not_yet" as const, coverage };
    const value = { ...found("x"), verdict: "not_yet" as const, code: partly, transcripts: null };
    page.answers.set({ route: "searchAll", request }, { value });
    expect(page.text()).toContain("From the text of 8 files; the index is 12 % done.");
    page.answers.set(
      { route: "searchAll", request },
      { value: { ...value, code: { ...partly, results: [] } } },
    );
    expect(page.text()).toContain("None of 8 files contains these words yet");
    expect(page.text()).not.toContain("Nothing found");
  });

  it("says plainly that nothing was found", () => {
    const page = reader(buildFirstState("search", ["retry"]));
    const { code, transcripts } = found("x");
    const value: SearchAllResponse = {
      ...found("x"),
      code: code && { ...code, results: [] },
      transcripts: transcripts && { ...transcripts, results: [] },
    };
    page.answers.set({ route: "searchAll", request }, { value });
    expect(page.text()).toContain('Nothing found about "retry".');
    page.answers.set(
      { route: "searchAll", request },
      { value: { ...value, code, verdict: "probably_not_here" } },
    );
    expect(page.text()).toContain("probably not here; 1 of 2 results");
    expect(page.text()).toContain("❯ src/retry.ts:10");
  });

  it.each(sizes)("keeps its frame at $columns x $rows, whatever was found", (size) => {
    const page = reader(buildFirstState("search", ["retry"]), { ...size, color: true });
    page.answers.set({ route: "searchAll", request }, { value: found(evil) });
    expect(page.text().includes("│ ")).toBe(true);
    page.press("j");
    page.lines();
  });
});

describe("a session", () => {
  const question = (from: number) => ({
    route: "turns" as const,
    request: { session: "8ecde0fc", from, limit: 20 },
  });
  const page20 = (from: number, text = "prompt"): TurnsResponse => ({
    turns: Array.from({ length: 20 }, (_, i) => turn(from + i, `${text} ${from + i}`)),
    next: from + 20,
  });

  it("of 5,000 turns lays out what is seen, and asks for that", () => {
    let read = 0;
    const value = sessionOf(5000, (number) => {
      read++;
      return `prompt ${number}`;
    });
    const page = reader(buildFirstState("session", ["8ecde0fc"]));
    page.answers.set({ route: "session", request: { id: "8ecde0fc" } }, { value });
    expect(page.view().asks).toContainEqual(question(1));
    page.press("G");
    expect(page.text()).toContain("turn 4,996 of 5,000");
    expect(page.view().asks).toContainEqual(question(4981));
    expect(page.view().asks.filter(({ route }) => route === "turns")).toHaveLength(1);
    page.answers.set(question(4981), { value: { ...page20(4981), next: null } });
    expect(page.text()).toContain("Edit src/retry.ts +1 -1");
    for (let i = 0; i < 30; i++) page.press("page up", "k", "p", "n");
    expect(page.text()).toMatch(/turn 4,[89]\d\d of 5,000/);
    // Far from all of them, however often it was drawn.
    page.press("g");
    page.lines();
    expect(read).toBeLessThan(20_000);
    expect(page.text()).toContain("Loading…");
  });

  it("begins at the turn that was asked for, and asks for the rest of a page of long turns", () => {
    const page = reader(buildFirstState("session", ["8ecde0fc:15"]));
    const value = sessionOf(30, (number) => `prompt ${number}`);
    page.answers.set({ route: "session", request: { id: "8ecde0fc" } }, { value });
    page.answers.set(question(1), { value: { turns: [turn(1, "long")], next: 2 } });
    expect(page.lines()[3]).toMatch(/^── turn 15 /);
    expect(page.view().asks).toContainEqual({
      route: "turns",
      request: { session: "8ecde0fc", from: 2, limit: 20 },
    });
    page.answers.set(question(2), { value: { turns: page20(2).turns, next: 22 } });
    expect(page.text()).toContain("❯ prompt 15");
    expect(page.text()).not.toContain("new line");
    page.press("f");
    expect(page.lines()[3]).toMatch(/^── turn 15 /);
    expect(page.text()).toContain("+new line");
    page.press("y");
    expect(page.effects).toEqual([{ kind: "copy", text: "8ecde0fc:15" }]);
  });

  it.each(sizes)("keeps its frame at $columns x $rows, whatever was said", (size) => {
    const page = reader(buildFirstState("session", ["8ecde0fc"]), { ...size, color: true });
    const value = { ...sessionOf(20, () => evil), session: summary("8ecde0fc", { title: evil, cwd: evil }) };
    page.answers.set({ route: "session", request: { id: "8ecde0fc" } }, { value });
    page.lines();
    page.answers.set(question(1), { value: page20(1, evil) });
    for (const key of ["n", "page down", "f", "G"]) {
      page.press(key);
      page.lines();
    }
  });

  it("finds a text: the first turn from here that has it, then with n and p the others", () => {
    const page = reader(buildFirstState("session", ["8ecde0fc:5"]));
    page.answers.set(
      { route: "session", request: { id: "8ecde0fc" } },
      { value: sessionOf(20, (number) => `prompt ${number}`) },
    );
    page.answers.set(question(1), { value: { ...page20(1), next: null } });
    page.press("/");
    page.type("new line");
    expect(page.text()).toContain("Find in this session: new line");
    page.press("enter");
    const sought = {
      route: "searchTranscripts" as const,
      request: {
        q: "new line",
        session: "8ecde0fc",
        limit: 200,
        in: "content" as const,
        match: "exact" as const,
        by: "turn" as const,
      },
    };
    expect(page.view().asks).toContainEqual(sought);
    expect(page.text()).toContain("looking…, turn 5 of 20");
    const { transcripts } = found("x");
    const results = [3, 9, 12].map((turn) => ({ ...transcripts!.results[0]!, turn }));
    page.answers.set(sought, { value: { ...transcripts!, results } });
    expect(page.text()).toContain("in 3 turns, turn 9 of 20");
    // Found in what is folded otherwise.
    expect(page.text()).toContain("+new line");
    page.press("n");
    expect(page.text()).toContain("turn 12 of 20");
    page.press("n", "p", "p");
    expect(page.text()).toContain("turn 3 of 20");
    page.press("escape");
    expect(page.text()).toContain("Title of 8ecde0fc");
    expect(page.text()).not.toContain("in 3 turns");
    page.press("/");
    page.type("absent");
    page.press("enter");
    page.answers.set(
      { ...sought, request: { ...sought.request, q: "absent" } },
      { value: { ...transcripts!, results: [] } },
    );
    expect(page.text()).toContain("not found, turn 3 of 20");
  });

  it("says why a turn is not there", () => {
    const page = reader(buildFirstState("session", ["8ecde0fc:2"]));
    page.answers.set(
      { route: "session", request: { id: "8ecde0fc" } },
      { value: sessionOf(2, () => "asked") },
    );
    page.answers.set(question(1), { error: "The archive is damaged." });
    expect(page.text()).toContain("The archive is damaged.");
  });
});

describe("the page", () => {
  it("begins where the command line says", () => {
    expect(buildFirstState("src/db.ts:42", [])).toMatchObject({ tab: "why", isTyping: false });
    expect(buildFirstState("why", ["src/db.ts:42"])).toEqual(buildFirstState("src/db.ts:42", []));
    expect(buildFirstState("search", ["a", "b"]).pages.search).toMatchObject([{ text: "a b" }]);
    expect(() => buildFirstState("nowhere", [])).toThrow("There is no view");
    expect(() => buildFirstState("session", [])).toThrow("needs a session's id");
  });

  it("says what is no place, and asks why of what is one", () => {
    const page = reader(buildFirstState("why", []));
    page.type("nothing");
    expect(page.view().asks).toEqual([]);
    page.press("enter");
    expect(page.text()).toContain("There is no nothing.");
    page.press("/", "ctrl u");
    page.type("a.ts:3");
    page.press("enter");
    expect(page.view().asks).toEqual([
      { route: "why", request: { file: "a.ts", first_line: 3, last_line: 3 } },
    ]);
  });

  it("goes from tab to tab, keeps where each was, and shows its keys", () => {
    const page = reader(buildFirstState("search", ["retry"]), { columns: 60, rows: 15 });
    page.press("tab");
    expect(page.text()).toContain("[5 Why]");
    page.press("tab", "?");
    expect(page.text()).toContain("PgUp PgDn");
    page.press("?", "4");
    expect(page.text()).toContain("Search: retry");
    page.press("ctrl c");
    expect(page.effects).toEqual([{ kind: "leave" }]);
  });
});
