import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { measureWidth } from "../../base/text/display-width.ts";
import { renderMarkdownAsHtml } from "../../base/text/markdown/html.ts";
import { toInertText } from "../../base/text/markdown/inert.ts";
import { unknownAuthor } from "../../protocol/line-author.ts";
import type { ReviewAnswer } from "./operation.ts";
import { renderReview } from "./pm-review.ts";
import { reviewAsMarkdown } from "./words.ts";

const answer: ReviewAnswer = {
  kind: "range",
  lines_only: false,
  from: "a".repeat(40),
  to: "b".repeat(40),
  commits: [],
  commits_total: 2,
  merge: null,
  commits_not_analysed: 0,
  files: [
    {
      path: "src/login.ts",
      old_path: null,
      status: "M",
      insertions: 2,
      deletions: 1,
      lines: { agent: 1, human: 1, unknown: 0 },
      hunks: [
        {
          old_start: 1,
          new_start: 1,
          lines: [
            { mark: " ", text: "a", by: null },
            { mark: "-", text: "b", by: null },
            { mark: "+", text: "c\u001b[2J", by: 0 },
            { mark: "+", text: "d", by: 1 },
          ],
        },
      ],
      lines_left_out: 3,
    },
  ],
  insertions: 2,
  deletions: 1,
  lines: { agent: 1, human: 1, unknown: 0 },
  authors: [
    { ...unknownAuthor, author: "agent", agent: "claude", session_id: "8ecde0fc-091c", turn: 7 },
    { ...unknownAuthor, author: "human" },
  ],
  sessions: [
    {
      session_id: "8ecde0fc-091c",
      title: "Fix the login",
      agent: "claude",
      lines: 1,
      how: "lines",
      confidence: 1,
      last_test_turn: 7,
      turns: [{ turn: 7, prompt: "Fix @octocat's login <b>now</b>", started_at: null, lines: 1 }],
    },
  ],
  decisions: [],
  reworked: [{ path: "src/login.ts", lines: 40, commits: 3 }],
  reverts: [{ hash: "c".repeat(40), subject: 'Revert "Add @octocat"', reverted: "d".repeat(40) }],
  tests_changed: ["test/a.test.ts"],
  tests: ["src/login.test.ts"],
  notes: [],
};

describe("pm review", () => {
  it("names the sessions with their prompts, and the files by who wrote them", () => {
    const text = renderReview(answer, "main..HEAD", screenOf(80));
    expect(text).toContain(
      "main..HEAD: 2 commits\n1 file, +2 -1. Added lines: 50% by agents, 50% by people.",
    );
    expect(text).toContain(
      "8ecde0fc  Fix the login  (claude, 1 line, wrote lines of it)\n  7. Fix @octocat's login",
    );
    expect(text).toContain("src/login.ts");
    expect(text).toContain("Related tests that are unchanged\n  src/login.test.ts");
    expect(text).toContain(
      '  Revert "Add @octocat" (cccccccc)\n  src/login.ts (40 lines written and removed again, in 3 commits)',
    );
    for (const line of text.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(80);
  });

  it("gives no share, and no none, of commits that are not analysed yet", () => {
    const unseen = {
      ...answer,
      commits_not_analysed: 1,
      sessions: [],
      lines: { agent: 0, human: 0, unknown: 2 },
      files: answer.files.map((file) => ({ ...file, lines: { agent: 0, human: 0, unknown: 2 } })),
    };
    const text = renderReview(unseen, "main..HEAD", screenOf(80));
    expect(text).toContain("1 file, +2 -1. Added lines: who wrote it is not known yet.");
    expect(text).toContain("The commits are not analysed yet, so the sessions that led to them are unknown.");
    expect(text).not.toMatch(/\d%|No recorded session/);
    expect(reviewAsMarkdown(unseen, "main..HEAD")).toContain("Added lines: who wrote it is not known yet.");
  });

  it("says line by line who wrote it, and lets no line write on the terminal", () => {
    const text = renderReview(answer, "main..HEAD", screenOf(80), { patch: true });
    expect(text).toContain(
      "● claude: Fix @octocat's login <b>now</b>\n● + c·[2J\n○ person\n○ + d\n3 changed lines more",
    );
  });
});

describe("a review as a comment", () => {
  it("has the shares, sessions, prompts and files", () => {
    const text = reviewAsMarkdown(answer, "main..HEAD");
    const [seen = "", folded = ""] = text.split("<details>");
    expect(seen.trim().split("\n").length).toBeLessThanOrEqual(15);
    expect(folded).toContain("| file | lines | by agents |");
    expect(text).toContain("Added lines: **50%** by agents, **50%** by people.");
    expect(text).toContain("**Fix the login**  *\\(claude, 1 line, wrote lines of it\\)*");
    expect(text).toContain("| src/login.ts | \\+2 \\-1 | 50% |");
    expect(reviewAsMarkdown(answer, `${"a".repeat(40)}..${"b".repeat(40)}`)).toMatch(/^### a{8}\.\.b{8}/);
    expect(text).toContain("### Tests changed\n\n- test/a.test.ts");
    expect(text).toContain("Add @\u200boctocat");
  });

  it("shows what others wrote as text: no tag, link, picture, mention or heading", () => {
    const hostile = [
      "<img src=x onerror=alert(1)>",
      "[x](javascript:alert(1))",
      "![x](https://evil.test/a.png)",
      "@octocat #1 https://evil.test",
      "# heading",
      "a\n\n- b\n\n## c",
      "`</details>`",
    ];
    for (const text of hostile) {
      const shown = toInertText(text);
      expect(shown).not.toContain("\n");
      expect(shown).not.toMatch(/<|(?<!\\)[[`#]|@\w|#\d|https?:/);
    }
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const html = renderMarkdownAsHtml(`- ${toInertText(text)}`);
        expect(html).not.toMatch(/<(?!\/?(?:ul|li|p)\b)/);
      }),
    );
  });
});
