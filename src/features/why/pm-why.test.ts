import { expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { unknownAuthor } from "../../protocol/line-author.ts";
import { formatPercent } from "../../protocol/reading/numbers.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { LineOrigin, WhyAnswer } from "./operation.ts";
import { wordWhyWithSteps } from "./words.ts";

type DocumentStyle = Parameters<typeof renderDocument>[1];

const renderWhy = (answer: WhyAnswer, style: DocumentStyle) =>
  renderDocument(wordWhyWithSteps(answer), style);

const style = { full: false, screen: screenOf(), pageOf: () => null };

const origin: LineOrigin = {
  lines: [[1, 20]],
  written_by: {
    ...unknownAuthor,
    author: "agent",
    session_id: "8ecde0fc-091c-4586-b688-cc9efe6f655c",
    model: "m\u001b[31m",
    turn: 7,
    confidence: 0.6,
    how: "edit",
    said_by: "pommel",
  },
  commit: {
    hash: "0123456789abcdef",
    subject: "evil\u001b]0;title\u0007",
    person: "Ann\u202e",
    authored_at: null,
    branch: null,
    is_boundary: false,
  },
  checkpoint_id: "abcdefabcdef",
  turn: {
    session_id: "8ecde0fc-091c-4586-b688-cc9efe6f655c",
    number: 7,
    started_at: null,
    prompt: Array.from({ length: 9 }, (_, i) => `line ${i + 1}\u001b[2J`).join("\n"),
    said_before: "before\u0007",
    said_after: "",
    tool: "Edit",
    asked_by: null,
  },
};

const answer: WhyAnswer = {
  file: "a\u001b.ts",
  first_line: 1,
  last_line: 20,
  text: Array.from({ length: 20 }, (_, i) => `\u001btext ${i + 1}`),
  line_notes: [],
  origins: [origin],
  decisions: [],
  earlier: [],
  later: null,
  freshness: {
    state: "reverted",
    branches: ["x\u001b"],
    reverted_by: "fedcba9876543210",
    lines_added: 12,
    lines_surviving: 3,
    later_decisions: [],
  },
  used_by: null,
  notes: ["A \u001bnote."],
};

it("shows nothing that could move the cursor, wherever it comes from", () => {
  expect(renderWhy(answer, style)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
});

it("cuts lines and prompts, unless all is asked for", () => {
  const short = renderWhy(answer, style);
  expect(short).toContain("and 12 more lines");
  expect(short).toContain("line 6");
  expect(short).not.toContain("line 7");
  const full = renderWhy(answer, { ...style, full: true });
  expect(full).toContain("text 20");
  expect(full).toContain("line 9");
});

it("shows how sure it is, what happened to it, and what to do next", () => {
  const text = renderWhy(answer, style);
  expect(text).toContain("in session 8ecde0fc, turn 7 (60% sure)");
  expect(text).toContain("Its commit was reverted.");
  expect(text).toContain("Reverted by fedcba98.");
  expect(text).toContain("3 of the 12 distinctive lines of its commit remain.");
  expect(text).toContain("Next: pm session show 8ecde0fc --turn 7; pm checkpoint rewind abcdefab");
});

it.each([
  [0, 0, "0%"],
  [0, 5, "0%"],
  [1, 1000, "<1%"],
  [999, 1000, ">99%"],
  [5, 5, "100%"],
  [1, 3, "33%"],
])("%d of %d is %s", (part, whole, text) => {
  expect(formatPercent(part, whole)).toBe(text);
});
