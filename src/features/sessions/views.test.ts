import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import type { Document } from "../../answers/document.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { wordDecisions } from "../decisions/words.ts";
import { wordNotes } from "../notes/words.ts";
import { wordRelated } from "../related/words.ts";
import type { SessionResponse } from "./operation.ts";
import { wordSession, wordSessions } from "./session-words.ts";

const pipe = screenOf();
const print = (document: Document) => renderDocument(document, { screen: pipe });
const related = { looked_for: 1, files: [], sessions: [], total: 2, decisions: [], code: [] };
/** Whatever can move the cursor, but for the ends of lines. */
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

/** A session in which every text is `text`. */
function sessionOf(text: string): SessionResponse {
  const at = new Date(2026, 0, 28, 14, 3).toISOString();
  const tokens = { input: 10, output: 20, cache_read: 3000, cache_write: 4 };
  return {
    session: {
      id: text,
      agent: text,
      title: text,
      topics: [text],
      branch: text,
      cwd: text,
      started_at: at,
      last_at: at,
      ended_at: at,
      end_reason: text,
      turns: 1,
      chunks: 2,
      annotations: 1,
      decisions: 0,
      agents: 1,
      models: [text],
      tokens,
      parent_id: text,
      parent_tool_use: text,
      agent_type: text,
      forked_from: text,
    },
    summary: { source: "llm", model: text, up_to_turn: 1, text: `${text}\n${text}` },
    turns: [
      {
        number: 1,
        prompt: text,
        started_at: at,
        ended_at: at,
        branch: text,
        abandoned: true,
        tools: {},
        commands: { ran: 0, failed: 0, fixed: 0 },
        files: [{ path: text, how: "edit" }],
      },
    ],
    files: [{ path: text, how: "edit" }],
    annotations: [
      {
        id: text,
        note: text,
        session_id: text,
        turn: 1,
        timestamp: at,
        branch: text,
        source: "prompt",
        origin: "yours",
        author: null,
        lines: null,
      },
    ],
    agents: [text],
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
    resume: null,
    content: null,
  };
}

/** Every view of conversations, of one in which every text is `text`. */
function viewsOf(text: string): string[] {
  const answer = sessionOf(text);
  const at = answer.session.last_at;
  const place = { session_id: text, session_title: text, branch: text };
  const files = [{ path: text, how: "edit" as const }];
  const relations = { place: null, superseded_by: null, superseded: null, supersedes: [] };
  const source = "annotation" as const;
  const decision = {
    by: "person" as const,
    origin: "yours" as const,
    ...place,
    ...relations,
    source,
    text,
    turn: 1,
    timestamp: at,
    files: [text],
  };
  const turns = [{ turn: 1, prompt: text, timestamp: at, score: 1, files }];
  return [
    print(wordSession(answer)),
    print([[wordSessions([answer.session])]]),
    print(wordNotes({ annotations: answer.annotations, total: 2 })),
    print(wordDecisions({ decisions: [{ ...decision, score: 0.5 }], total: 2 }, "person")),
    print(
      wordRelated(
        { ...related, sessions: [{ ...place, agent: text, last_at: at, score: 1, files, turns }] },
        "",
        true,
      ),
    ),
  ];
}

describe("views of conversations", () => {
  it("say when and where it was", () => {
    const [show, list, notes, decisions, related] = viewsOf("retries");
    expect(show).toContain("retries (retries) | 2026-01-28 14:03 | retries | 1 turn | ended (retries)");
    expect(show).toContain("3,014 tokens in (3,000 from the cache), 20 out by retries");
    expect(show).toMatch(/^ {2}1\. retries {2}2026-01-28 14:03, changed 1, abandoned branch$/m);
    expect(list).toBe(
      "session  active            turns  agent    branch   title    topics\n" +
        "retries  2026-01-28 14:03  1      retries  retries  retries  retries",
    );
    expect(notes).toBe(
      "Your note: retries\n  2026-01-28 14:03 | session: retries:1 | retries | retries\n\n1 of 2 notes",
    );
    expect(decisions).toMatch(/^Your note: retries\n {2}2026-01-28 14:03 \| session: retries:1 /);
    expect(related).toMatch(/^retries {2}2026-01-28 14:03 .*\n {3}retries \(edit\)\n {3}turn 1: retries\n/);
  });

  it("let no recorded text move the cursor", () => {
    for (const view of viewsOf("a\u001b[2J\u202e\r\u0007")) expect(view).not.toMatch(control);
  });

  it("say what to do where there is nothing", () => {
    expect(print(wordDecisions({ decisions: [], total: 0 }, "person"))).toMatch(/^No decisions found/);
    expect(print(wordRelated(related, "", true))).toMatch(/^No recorded session/);
  });
});
