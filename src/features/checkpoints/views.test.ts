import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import type { Document } from "../../answers/document.ts";
import { formatDiffSummary } from "../../attribution/checkpoints/commit-facts.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { CheckpointAnswer, CheckpointSummary, DiffAnswer } from "./operation.ts";
import { wordCheckpoint, wordCheckpoints, wordSessionsBetween } from "./words.ts";

const print = (document: Document) => renderDocument(document, { screen: screenOf() });
/** Whatever can move the cursor, but for the ends of lines. */
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
const at = new Date(2026, 0, 28, 14, 3).toISOString();

/** A checkpoint in which every text is `text`. */
function summaryOf(text: string): CheckpointSummary {
  return {
    id: text,
    commit: text,
    tree: text,
    branch: text,
    parent_id: text,
    author: text,
    subject: text,
    committed_at: at,
    insertions: 120,
    deletions: 14,
    lines: { agent: 90, human: 20, unknown: 10 },
    sessions: [1, 2].map(() => ({
      session_id: text,
      title: text,
      agent: text,
      turns: [1, 3, 4, 5],
      lines: 90,
      how: "lines",
      confidence: 1,
    })),
    rewritten_as: [text],
  };
}

function answerOf(text: string): CheckpointAnswer {
  const { sessions, ...summary } = summaryOf(text);
  return {
    ...summary,
    parents: [text],
    diff_summary: text,
    files: [
      {
        path: text,
        old_path: text,
        status: "R",
        insertions: 1,
        deletions: 2,
        lines: { agent: 1, human: 0, unknown: 0 },
      },
    ],
    sessions: sessions.map((session) => ({
      ...session,
      turns: Array.from({ length: 12 }, (_, i) => ({
        turn: i,
        prompt: i === 5 ? null : text,
        started_at: at,
      })),
    })),
    agent_state: {
      [text]: {
        turn: 99,
        title: text,
        prompt: text,
        said: text,
        model: text,
        todos: ["completed", "in_progress", "pending"].map((status) => ({ text, status })),
      },
    },
    next_ids: [text],
  };
}

describe("pm checkpoint list", () => {
  it("has a line for each", () => {
    const found = { ...summaryOf("word"), rewritten_as: [] };
    expect(print(wordCheckpoints({ checkpoints: [found], total: 3 }, {}))).toBe(
      "commit  committed         lines     by agents  sessions       author  branch  subject\n" +
        "word    2026-01-28 14:03  +120 -14  75%        word:1,3-5 +1  word    word    word\n\n1 of 3",
    );
    const moved = { ...found, rewritten_as: ["abcdef1234567"], subject: "", sessions: [], branch: null };
    expect(print(wordCheckpoints({ checkpoints: [moved], total: 1 }, {}))).toMatch(
      /\[now abcdef12\] \(no message\)$/,
    );
  });

  it("says what to do where there is none", () => {
    const none = { checkpoints: [], total: 0 };
    expect(print(wordCheckpoints(none, {}))).toMatch(/^No checkpoints: no recorded session/);
    expect(print(wordCheckpoints(none, { branch: "x" }))).toMatch(/^No matching checkpoints\./);
  });
});

it("pm checkpoint show names the sessions behind it, and how they led to it", () => {
  const text = print(wordCheckpoint(answerOf("word")));
  for (const part of [
    "90 lines by agents, 20 by people, 10 unknown",
    "rewritten as commit word",
    "word, wrote 90 lines of it",
    "2 earlier turns",
    "  5. (not stored here)",
    "Prompt: word",
    "Last reply: word",
    "  [x] word\n  [~] word\n  [ ] word",
    "R  +1 -2  word => word  1 by agents",
    "`pm checkpoint rewind word`",
  ]) {
    expect(text).toContain(part);
  }
});

it("pm checkpoint diff names the sessions of either side", () => {
  const session = (side: "from" | "to") => ({
    session_id: "8ecde0fc-091c",
    title: null,
    side,
    checkpoints: ["a"],
    turns: Array.from({ length: 11 }, (_, i) => ({ turn: i + 1, prompt: "go", started_at: null })),
  });
  const answer = { sessions: [session("from"), session("to")] } as DiffAnswer;
  const text = print(wordSessionsBetween(answer));
  expect(text).toMatch(/^Sessions that led there\n═+\n8ecde0fc {2}\(no title\) {2}1 checkpoint, 11 turns\n/);
  expect(text).toContain("and 1 more turn");
  expect(text).toContain("Sessions only in the first");
  expect(print(wordSessionsBetween({ ...answer, sessions: [] }))).toBe("");
});

it("prints nothing that moves the cursor", () => {
  const evil = "\u001b[2Jx\u202e\u0007\r\n\u009b31m";
  const diff = { sessions: [{ session_id: evil, title: evil, side: "to", checkpoints: [], turns: [] }] };
  for (const text of [
    print(wordCheckpoints({ checkpoints: [summaryOf(evil)], total: 1 }, {})),
    print(wordCheckpoint(answerOf(evil))),
    print(wordSessionsBetween(diff as unknown as DiffAnswer)),
  ]) {
    expect(text).not.toMatch(control);
  }
});

it("sums up what changed in a line", () => {
  const file = (path: string, insertions: number, deletions: number) => ({
    path,
    status: "M",
    insertions,
    deletions,
  });
  expect(formatDiffSummary([])).toBe("no files");
  expect(formatDiffSummary([file("a", 0, 0)])).toBe("1 file, +0 -0: a");
  const files = [
    file("small", 1, 0),
    file("large", 80, 2),
    file("b", 3, 1),
    file("a", 2, 2),
    file("z", 0, 0),
  ];
  expect(formatDiffSummary(files)).toBe("5 files, +86 -5: large (+80 -2), a (+2 -2), b (+3 -1) and 2 more");
});
