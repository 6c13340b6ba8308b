import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDirectory, writeNew } from "../../terminal/write-file.ts";
import type { SessionSummary, ToolCall, TurnEntry } from "../sessions/operation.ts";
import { fitToSize, type SessionDocument } from "./document.ts";
import { indexAsHtml, renderSessionHtml } from "./html.ts";
import { indexAsMarkdown, renderSessionMarkdown } from "./markdown.ts";

const entry = (kind: TurnEntry["kind"], text: string, tool: ToolCall | null = null): TurnEntry => ({
  kind,
  text,
  tool,
  timestamp: null,
  images: 0,
  omitted: 0,
});

const call = (more: Partial<ToolCall>): ToolCall => ({
  id: "t1",
  name: "Bash",
  action: "command",
  headline: "Bash npm test",
  command: "npm test",
  result: "ok",
  took_ms: null,
  is_error: false,
  edits: [],
  subagent: null,
  ...more,
});

/** @param text stands wherever somebody else wrote something */
function documentOf(text: string): SessionDocument {
  const session: SessionSummary = {
    id: "s",
    agent: "claude",
    title: text,
    topics: [text],
    branch: text,
    cwd: "/p",
    started_at: "2026-01-31T14:05:00.000Z",
    last_at: "2026-01-31T14:09:00.000Z",
    ended_at: null,
    end_reason: null,
    turns: 1,
    chunks: 1,
    annotations: 1,
    decisions: 1,
    agents: 0,
    models: ["m"],
    tokens: { input: 1, output: 1, cache_read: 0, cache_write: 0 },
    parent_id: null,
    parent_tool_use: null,
    agent_type: null,
    forked_from: null,
  };
  return {
    format: "pommel-session",
    version: 1,
    session,
    summary: { source: "llm", model: null, up_to_turn: 1, text },
    files: [{ path: text, how: "edit" }],
    agents: [],
    notes: [
      {
        id: "n",
        note: text,
        session_id: "s",
        turn: 1,
        timestamp: "2026-01-31T14:05:00.000Z",
        branch: null,
        source: "prompt",
        origin: "yours",
        author: null,
        lines: null,
      },
    ],
    decisions: [
      {
        source: "conversation",
        by: "person",
        origin: "yours",
        text,
        place: null,
        session_id: "s",
        session_title: text,
        turn: 1,
        timestamp: null,
        branch: null,
        files: [],
        score: null,
        superseded_by: null,
        superseded: null,
        supersedes: [],
      },
    ],
    commits: [],
    left_out: [],
    turns: [
      {
        number: 1,
        started_at: "2026-01-31T14:05:00.000Z",
        ended_at: null,
        branch: null,
        abandoned: false,
        entries: [
          entry("prompt", text),
          entry("text", text),
          entry("thinking", text),
          entry("tool", "", call({ headline: `Bash ${text}`, command: text, result: text, is_error: true })),
          entry(
            "tool",
            "",
            call({ name: "Edit", edits: [{ file: text, is_whole: false, lines: [`+${text}`] }] }),
          ),
        ],
      },
    ],
  };
}

const hostile =
  '</details></script><script>alert(1)</script><img src=x onerror="alert(1)">"\'><!-- ![p](http://h/p.png) `';

it("of many turns stays small, and says what was cut", () => {
  const document = documentOf("word ".repeat(2000));
  const turns = Array.from({ length: 500 }, (_, number) => ({
    ...document.turns[0]!,
    number,
    entries: [
      entry("prompt", "do it"),
      ...document.turns[0]!.entries.filter(({ kind }) => kind === "tool"),
    ].map(({ tool, ...one }) => {
      const edits = tool?.edits.map((edit) => ({ ...edit, file: "a.ts" })) ?? [];
      return { ...one, tool: tool && { ...tool, headline: "Bash npm test", command: null, edits } };
    }),
  }));
  const small = fitToSize({ ...document, summary: null, turns }, renderSessionHtml);
  expect(Buffer.byteLength(small)).toBeLessThan(2_000_000);
  expect(small).toMatch(/Left out: .*Outputs and edits beyond/);
  expect(small.match(/<section/g)).toHaveLength(500);
  expect(fitToSize(document, renderSessionHtml)).toBe(renderSessionHtml(document));
});

describe("a session as a page", () => {
  it("says nothing but what was said, and asks nobody for anything", () => {
    const html = renderSessionHtml(documentOf(hostile));
    expect(html).not.toMatch(/<(?:script|img|iframe|link|!--)/i);
    expect(html).not.toMatch(/<[^>]*\son\w+\s*=/i);
    expect(html).not.toMatch(/="http:/);
    expect(html.match(/<details/g)!.length).toBe(html.match(/<\/details>/g)!.length);
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)![1]!;
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
    );
    expect(html).not.toContain(" style=");
  });

  it("links only within itself, and where somebody wrote a web address", () => {
    const html = renderSessionHtml(
      documentOf("[a](https://x.org/) [b](javascript:alert(1)) [c](file:///etc/passwd)"),
    );
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
    expect(new Set(targets)).toEqual(new Set(["#turn-1", "https://x.org/"]));
  });

  it("lists sessions with their files", () => {
    const { session, decisions } = documentOf(hostile);
    const html = indexAsHtml({ sessions: [{ session, file: "2026-01-31-s.html" }], decisions, total: 3 });
    expect(html).toContain('href="2026-01-31-s.html"');
    expect(html).toContain("and 2 earlier ones");
    expect(html).not.toContain("<script");
  });
});

describe("a session as Markdown", () => {
  it("reads as a chat: prompts quoted, calls folded, edits as diffs", () => {
    expect(renderSessionMarkdown(documentOf("use *WAL*"))).toBe(
      [
        "# use \\*WAL\\*",
        "claude · 2026-01-31 14:05 UTC to 2026-01-31 14:09 UTC · use \\*WAL\\* · 1 turn · m",
        "Session `s`",
        "## Summary",
        "use *WAL*",
        "## Changed files",
        "- `use *WAL*`",
        "## Turn 1, 2026-01-31 14:05 UTC",
        "> use *WAL*",
        "use *WAL*",
        "<details><summary><code>Bash use *WAL*</code> (failed)</summary>",
        "```\nuse *WAL*\n```",
        "</details>",
        "- `Bash npm test`",
        "```diff\n--- use *WAL*\n+use *WAL*\n```",
        "- **A person's note:** use \\*WAL\\*\n- **A person's decision:** use \\*WAL\\*\n",
      ].join("\n\n"),
    );
  });

  it("keeps tags as text, and a fence that was left open to itself", () => {
    const text = renderSessionMarkdown(documentOf(`${hostile}\n\`\`\`js\nopen`));
    const tokens = new MarkdownIt({ html: true }).parse(text, {});
    const html = tokens
      .flatMap((token) => [token, ...(token.children ?? [])])
      .filter(({ type }) => type.startsWith("html_"))
      .map(({ content }) => content.trim());
    expect(html).toEqual([
      expect.stringMatching(/^<details><summary><code>[^<>]*<\/code> \(failed\)<\/summary>$/),
      "</details>",
    ]);
    expect(tokens.filter(({ type }) => type === "heading_open")).toHaveLength(4);
  });

  it("lists sessions and decisions", () => {
    const { session, decisions } = documentOf("WAL");
    const text = indexAsMarkdown({ sessions: [{ session, file: "s.md" }], decisions, total: 1 });
    expect(text).toContain("- [WAL](s.md): claude");
    expect(text).toContain("- WAL ([session](s.md))");
  });
});

describe("where it is written", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "pommel-export-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("is a new file for its owner alone, replaced only on request", () => {
    expect(writeNew(dir, "s.md", "one", false)).toBe(join(dir, "s.md"));
    expect(statSync(join(dir, "s.md")).mode & 0o777).toBe(0o600);
    expect(() => writeNew(join(dir, "s.md"), "s.md", "two", false)).toThrow(/exists/);
    expect(writeNew(join(dir, "s.md"), "s.md", "two", true)).toBe(join(dir, "s.md"));
    expect(() => writeNew(join(dir, "no", "s.md"), "s.md", "", false)).toThrow(/no does not exist/);
  });

  it("is a directory that appears at once, or not at all", () => {
    const to = join(dir, "out");
    const failed = openDirectory(to, false);
    failed.write("a.md", "a");
    failed.discard();
    expect(readdirSync(dir)).toEqual([]);
    const done = openDirectory(to, false);
    done.write("a.md", "a");
    expect(readdirSync(dir)).not.toContain("out");
    done.finish();
    done.discard();
    expect(readdirSync(dir)).toEqual(["out"]);
    expect(statSync(to).mode & 0o777).toBe(0o700);
  });

  it("does not mix with what is there, unless that is wanted", () => {
    writeFileSync(join(dir, "b.md"), "kept");
    expect(() => openDirectory(dir, false)).toThrow(/is not empty/);
    expect(() => openDirectory(join(dir, "b.md"), false)).toThrow(/is a file/);
    const forced = openDirectory(dir, true);
    forced.write("a.md", "a");
    forced.finish();
    forced.discard();
    expect(readdirSync(dir).sort()).toEqual(["a.md", "b.md"]);
  });
});
