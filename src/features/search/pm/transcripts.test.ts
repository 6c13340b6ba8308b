import { describe, expect, it } from "vitest";
import type { SearchResponse, TranscriptSearchResponse } from "../../../protocol/results.ts";
import { createPalette } from "../../../terminal/palette.ts";
import type { ResultStyle } from "../result-words.ts";
import { renderGroups as renderFound } from "./groups.ts";

type FoundByKind = Parameters<typeof renderFound>[0];

type Result = TranscriptSearchResponse["results"][number];

const result: Result = {
  id: "8ecde0fc:annotated:0",
  source: "transcript",
  session_id: "8ecde0fc-091c-4586-b688-cc9efe6f655c",
  session_title: "Cache sessions",
  agent: "claude",
  branch: "main",
  turn: 7,
  last_turn: 7,
  chunk_type: "annotated",
  kind: "decision",
  event_type: "mixed",
  // Local time.
  timestamp: new Date(2026, 0, 28, 14, 3).toISOString(),
  score: 0.8471,
  annotation: "Redis for session caching",
  note_by: "person",
  snippet: "[USER] Redis or memory? [ASSISTANT] For caching, Redis offers more.",
  content: "[USER] Redis or memory?\n[ASSISTANT] For caching, Redis offers more.\n",
  files: ["src/cache.ts", "src/session.ts"],
  freshness: "drifted",
  abandoned: false,
  rejected: null,
  commits: [],
  more_turns: 0,
  other_turns: [],
  match_reasons: ["mentions caching"],
};

function answerOf(...results: Result[]): TranscriptSearchResponse {
  return {
    scope: "transcripts",
    query: "caching",
    total_results: 9,
    verdict: "found",
    probability: 0.8,
    results,
    searched_by: ["words"],
    notes: [],
    search_time_ms: 1.5,
    memory: { pending: 0, as_of: null },
  };
}

const plain: ResultStyle = {
  full: false,
  isFiltered: false,
  isExact: false,
  pathOf: (file) => file,
  absolute: (file: string) => `/repo/${file}`,
  pageOf: () => null,
  screen: { colors: createPalette(), columns: undefined, now: Date.now() },
};

const renderGroups = (found: Omit<FoundByKind, "history">, style: ResultStyle) =>
  renderFound({ ...found, history: null }, style);
const renderTranscripts = (transcripts: TranscriptSearchResponse, style: ResultStyle) =>
  renderGroups({ code: null, transcripts }, style);

describe("renderTranscripts", () => {
  it("says which other turns of the session match, in order, and how to see them", () => {
    const other = { ...result, id: "x", timestamp: null };
    const turns = [12, 3, 9, 1, 40].map((turn) => ({ ...other, turn, last_turn: turn }));
    const shown = renderTranscripts(answerOf({ ...result, more_turns: 7, other_turns: turns }), plain);
    expect(shown).toContain("   +7 more: turns 1, 3, 9, 12, 40, … (--session 8ecde0fc)");
    const one = renderTranscripts(
      answerOf({ ...result, more_turns: 1, other_turns: turns.slice(0, 1) }),
      plain,
    );
    expect(one).toContain("   +1 more: turn 12 (--session 8ecde0fc)");
  });

  it("shows when and where it was, why it matches, and the text", () => {
    expect(renderTranscripts(answerOf(result), plain)).toBe(
      [
        "Sessions (1 result)",
        "═══════════════════",
        "",
        "1. 8ecde0fc:7  Cache sessions",
        "   2026-01-28 14:03 | main | note",
        "   mentions caching",
        "   you: Redis or memory? agent: For caching, Redis offers more.",
        "   Your note: Redis for session caching",
        "   Files: src/cache.ts, src/session.ts (changed since)",
        "",
        "1 of 9 results, 2 ms",
      ].join("\n"),
    );
  });

  it("shows a note from a shell as a note, once", () => {
    const note = { ...result, session_id: "notes", session_title: null, turn: 0, last_turn: 0, files: [] };
    const shown = renderTranscripts(answerOf({ ...note, freshness: null }), plain);
    expect(shown).toContain("1. Note  Redis for session caching\n   2026-01-28 14:03 | main | Your note\n");
    expect(shown.match(/Redis/g)).toHaveLength(1);
  });

  it("leaves out what is not known", () => {
    const bare: Result = {
      ...result,
      session_title: null,
      branch: null,
      timestamp: null,
      annotation: null,
      files: [],
      freshness: null,
      match_reasons: [],
      last_turn: 9,
      chunk_type: "raw",
      abandoned: true,
    };
    const text = renderTranscripts(answerOf(bare), plain);
    expect(text).toContain("1. 8ecde0fc:7-9  (abandoned branch)\n   you: Redis or memory?");
    expect(text).not.toMatch(/Note|Files|null/);
  });

  it("prints whole chunks when asked, and what every signal added", () => {
    const text = renderTranscripts(answerOf({ ...result, signals: { words: 2, recency: 1 } }), {
      ...plain,
      full: true,
    });
    expect(text).toContain("   [USER] Redis or memory?\n   [ASSISTANT] For caching, Redis offers more.\n");
    expect(text).toContain("words 2.000, recency 1.000");
  });

  it("marks the words that were looked for", () => {
    const colors = createPalette({ color: true });
    expect(renderTranscripts(answerOf(result), { ...plain, screen: { ...plain.screen, colors } })).toContain(
      `For ${colors.match("caching")},`,
    );
  });

  it("lets no recorded text move the cursor", () => {
    const escapes = "\u001b[2J\u202e";
    const nasty: Result = {
      ...result,
      session_id: `s${escapes}`,
      session_title: escapes,
      branch: escapes,
      annotation: escapes,
      snippet: `a ${escapes}`,
      content: `a ${escapes}\r\nb`,
      files: [escapes],
      match_reasons: [`says ${escapes}`],
    };
    for (const full of [true, false]) {
      const text = renderTranscripts(answerOf(nasty), { ...plain, full });
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });

  it("says that nothing was found", () => {
    expect(renderTranscripts(answerOf(), plain)).toMatch(/^Nothing found about "caching"\./);
  });
});

describe("renderGroups", () => {
  const meta = { search_time_ms: 1, searched_by: ["words"], notes: [] };
  const index = { pending: 0, is_complete: true, as_of: null };
  const code: SearchResponse = {
    query: "caching",
    verdict: "found",
    probability: 0.8,
    results: [],
    total_results: 0,
    ...meta,
    index,
  };
  const found: SearchResponse = {
    ...code,
    total_results: 1,
    results: [
      {
        id: "1",
        file: "src/cache.ts",
        start_line: 3,
        end_line: 3,
        level: "method",
        kind: "function",
        language: "typescript",
        name: "caching",
        score: 1,
        content: "function caching() {}",
        parent_id: null,
        parent_name: null,
        match_reasons: [],
        freshness: "fresh",
        places: [],
        also_in: [],
      },
    ],
  };

  it("shows each side under its heading", () => {
    const text = renderGroups({ code: found, transcripts: answerOf(result) }, plain);
    expect(text).toMatch(/^Code \(1 result\)\n═+\n\n1\. src\/cache\.ts:3 /);
    expect(text).toMatch(/\n\nSessions \(1 result\)\n═+\n\n1\. 8ecde0fc:7/);
    expect(renderGroups({ code, transcripts: answerOf(result) }, plain)).toMatch(
      /^Code \(0 results\)\n═+\n\nSessions/,
    );
  });

  it("says once that neither has anything", () => {
    expect(renderGroups({ code, transcripts: answerOf() }, plain)).toMatch(
      /^Nothing found about "caching"\./,
    );
  });

  it("says on each side what its answer is worth, and shows its results all the same", () => {
    const near: SearchResponse = { ...found, verdict: "probably_not_here" };
    const text = renderGroups({ code: near, transcripts: { ...answerOf(result), verdict: "maybe" } }, plain);
    expect(text).toMatch(/^Code \(1 result\)\n═+\n\nProbably not here\. .*\n\n1\. src\/cache/);
    expect(text).toMatch(/\n\nSessions \(1 result\)\n═+\n\nMaybe: .*\n\n1\. 8ecde0fc:7/);
  });
});

describe("the commits that a conversation led to", () => {
  const commit: Result["commits"][number] = {
    commit: "abc1234abc1234abc1234abc1234abc1234abc12",
    checkpoint: "4f1c9a2b77d0",
    subject: "Make refresh atomic",
    confidence: 0.98,
    how: "lines",
    reach: "head",
    successor: null,
    reverted_by: null,
    branches: [],
    lines_added: 40,
    lines_surviving: 34,
  };
  const line = (more: Partial<typeof commit>) =>
    renderTranscripts(answerOf({ ...result, commits: [{ ...commit, ...more }] }), plain)
      .split("\n")
      .find((text) => /led to/i.test(text))
      ?.trim();

  it.each<[Partial<typeof commit>, string]>([
    [{}, "(on HEAD, 34 of 40 distinctive lines left)"],
    [{ successor: "feed123feed123" }, "(on HEAD as feed123f, 34 of 40 distinctive lines left)"],
    [
      { reverted_by: "bad5678bad5678", lines_surviving: 0 },
      "(reverted by bad5678b, on HEAD, 0 of 40 distinctive lines left)",
    ],
    [{ reach: "elsewhere", branches: ["feat/x", "y"], lines_added: 0 }, "(on feat/x, y only)"],
    [{ reach: "elsewhere", lines_added: null, lines_surviving: null }, "(on no branch)"],
    [{ reach: "gone", lines_surviving: 3 }, "(not in this repository, 3 of 40 distinctive lines left)"],
  ])("say what became of them: %o", (more, fate) => {
    expect(line(more)).toBe(`Led to abc1234a "Make refresh atomic" ${fate}`);
  });

  it("say what a guess and another tool's word rest on", () => {
    expect(line({ confidence: 0.6, how: "touched", lines_added: null })).toBe(
      'Maybe led to abc1234a "Make refresh atomic" (changed its files shortly before, on HEAD)',
    );
    expect(line({ confidence: 0.8, how: "trailer", lines_added: null })).toBe(
      'Led to abc1234a "Make refresh atomic" (named in the commit by another tool, on HEAD)',
    );
  });

  it("are named when their fate is unknown", () => {
    const unknown = { reach: null, lines_added: null, lines_surviving: null };
    expect(line({ ...unknown, subject: "Odd\u001b[31m subject" })).toBe('Led to abc1234a "Odd·[31m subject"');
  });
});
