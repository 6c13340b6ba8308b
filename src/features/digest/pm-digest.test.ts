import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { wordAsMarkdown } from "../../answers/word-as-markdown.ts";
import { measureWidth } from "../../base/text/display-width.ts";
import { renderMarkdownAsHtml } from "../../base/text/markdown/html.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { DigestAnswer, DigestSession } from "./operation.ts";
import { wordDigest } from "./words.ts";

const session: DigestSession = {
  id: "8ecde0fc-091c",
  agent: "claude",
  title: "Fix the login on @octocat's phone",
  topics: ["login"],
  branch: "topic",
  cwd: "/repo",
  started_at: null,
  last_at: "2026-03-02T09:00:00Z",
  ended_at: null,
  end_reason: null,
  turns: 5,
  chunks: 0,
  annotations: 0,
  decisions: 0,
  agents: 0,
  models: [],
  parent_id: null,
  forked_from: null,
  parent_tool_use: null,
  agent_type: null,
  last_state: "interrupted",
  tokens: { input: 0, output: null, cache_read: 0, cache_write: 0 },
  asked: ["Fix the login on @octocat's phone <b>now</b>", "and [write](https://evil.test) a test for it"],
  prompts: 4,
  outcome: "The login works.",
  open: "The test is missing.",
  files: ["src/login.ts"],
};

const answer: DigestAnswer = {
  since: "2026-03-02T00:00:00Z",
  until: null,
  notes: [],
  parts: [
    {
      name: "topic",
      topics: [{ value: "@octocat <b>login</b>", sessions: 2 }],
      authors: [
        { value: "", sessions: 1 },
        { value: "bob@example.com", sessions: 2 },
      ],
      sessions: [session],
      sessions_total: 3,
      commits: [],
      commits_total: 0,
      decisions: [],
      decisions_total: 0,
      unfinished: [session],
      unfinished_total: 1,
      tokens: [{ model: "opus", input: 1_200_000, output: null, cache_read: 5000, cache_write: 0 }],
    },
  ],
};

const document = wordDigest(answer, "branch");
const screen = screenOf(80);

describe("a digest", () => {
  it("says what was asked but for the title, what came of it, and what it left open", () => {
    const text = renderDocument(document, { screen });
    expect(text).toContain(": 3 sessions, 0 commits, 0 decisions.\n\ntopic\n");
    expect(text).toContain("8ecde0fc  Fix the login on @octocat's phone  claude, 4 prompts, 1 file");
    expect(text).not.toContain("now");
    expect(text).toContain("> and 2 more prompts\n            → The login works.\n  and 2 more");
    expect(text).toContain(
      "Open at their end\n  8ecde0fc  Fix the login on @octocat's phone  interrupted\n            → The test is missing.",
    );
    expect(text).toContain("About\n  @octocat <b>login</b> (2)\n\nBy\n  you (1), bob@example.com (2)\n");
    expect(text).toContain("opus  1.2M read, 5K from the cache, written: not recorded");
    for (const line of text.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(80);
  });

  it("to paste has what others wrote as text", () => {
    const html = renderMarkdownAsHtml(wordAsMarkdown(document, () => null));
    expect(html).toContain("write");
    expect(html).not.toMatch(/<a |@\w|<b>/);
  });

  it("says what is not in it yet", () => {
    const notes = ["3 commits are not analysed yet."];
    expect(renderDocument(wordDigest({ ...answer, notes }, "branch"), { screen })).toContain(
      "0 decisions.\n3 commits are not analysed yet.\n",
    );
  });

  it("of a time without anything says so", () => {
    expect(renderDocument(wordDigest({ ...answer, parts: [] }, null), { screen })).toContain(
      "Nothing recorded since",
    );
  });
});
