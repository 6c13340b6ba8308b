import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { wordForAgents } from "../../answers/word-for-agents.ts";
import { measureWidth } from "../../base/text/display-width.ts";
import { unknownAuthor } from "../../protocol/line-author.ts";
import { sumByEntry } from "../../protocol/reading/sum-shares.ts";
import type { Screen } from "../../terminal/output.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { BlameAnswer, BlameRange } from "./operation.ts";
import { wordBlame, wordBlamedDirectory, wordBlameSummary, wordExplainedBlame } from "./words.ts";

const now = new Date(2026, 2, 10, 12, 0).getTime();
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();

function range(first_line: number, last_line: number, more: Partial<BlameRange>): BlameRange {
  return {
    ...unknownAuthor,
    first_line,
    last_line,
    commit: `${first_line}`.repeat(40).slice(0, 40),
    person: "Zoë 王小明",
    authored_at: daysAgo(3),
    subject: "Fix",
    original_path: "a.ts",
    original_line: 1,
    is_boundary: false,
    ...more,
  };
}

const answer: BlameAnswer = {
  file: "src/login.ts",
  revision: null,
  ranges: [
    range(1, 2, { author: "agent", model: "claude-opus-4-5-20251101", session_id: "8ecde0fc-091c", turn: 7 }),
    range(3, 3, { author: "human", authored_at: daysAgo(400) }),
    range(4, 4, { commit: null, person: null, authored_at: null }),
  ],
  summary: {
    lines: 4,
    agent: 2,
    human: 1,
    unknown: 1,
    before_agents: 0,
    by_session: [
      { session_id: "8ecde0fc-091c", session_title: "Fix the login", agent: "claude", turns: [7], lines: 2 },
    ],
    by_model: [{ model: "claude-opus-4-5-20251101", lines: 2 }],
    by_person: [{ person: "Zoë 王小明", human: 1, unknown: 0, before_agents: 0 }],
  },
  agents_since: null,
  notes: [],
  lines: [
    { line: 1, text: "export function login() {" },
    { line: 2, text: `  ${"await again(); ".repeat(12)}` },
    { line: 3, text: "\t// \u001b[2J页面" },
    { line: 4, text: "}\r" },
  ],
};

const renderBlame = (of: BlameAnswer, screen: Screen) => renderDocument(wordBlame(of), { screen });

describe("pm blame", () => {
  it("fits into eighty columns, with the age and a mark for each kind of author", () => {
    expect(renderBlame(answer, screenOf(80, { now }))).toBe(
      [
        "11111111 ● opus-4-5   3d 1 │ export function login() {",
        "         │               2 │   await again(); await again(); await again(); awa…",
        "33333333 ○ Zoë 王小明 1y 3 │   // ·[2J页面",
        "-------- · unknown       4 │ }",
        "",
        "● agent 50%  ○ person 25%  · unknown 25%  of 4 lines",
      ].join("\n"),
    );
  });

  it("names turns where there is room, and is never wider than the terminal", () => {
    expect(renderBlame(answer, screenOf(120, { now }))).toContain(
      "11111111 ● opus-4-5   8ecde0fc:7 3d 1 │ export",
    );
    for (const width of [60, 80, 120, 200]) {
      for (const line of renderBlame(answer, screenOf(width, { now })).split("\n")) {
        expect(measureWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it("says everything in each line of a pipe", () => {
    expect(renderBlame(answer, screenOf(undefined, { now })).split("\n")).toEqual([
      "11111111 agent claude-opus-4-5-20251101 8ecde0fc:7 2026-03-07 1) export function login() {",
      `11111111 agent claude-opus-4-5-20251101 8ecde0fc:7 2026-03-07 2)   ${"await again(); ".repeat(12)}`,
      "33333333 Zoë 王小明                                2025-02-03 3)   // ·[2J页面",
      "-------- unknown                                              4) }",
    ]);
  });

  it("names nobody where the commit is still to be analysed", () => {
    const [first, ...others] = answer.ranges;
    const unseen = range(1, 2, { not_analysed: true });
    const text = renderBlame({ ...answer, ranges: [unseen, ...others] }, screenOf(undefined));
    expect(text.split("\n")[0]).toContain("not yet known");
    expect(text.split("\n")[0]).not.toContain(first!.person);
  });

  it("for an agent has a line for each range, without the code", () => {
    expect(wordForAgents(wordBlame(answer))).toEqual([
      "1-2 | 11111111 | agent claude-opus-4-5-20251101 | 8ecde0fc:7 | day 2026-03-07",
      "3 | 33333333 | Zoë 王小明 | day 2025-02-03",
      "4 | -------- | unknown",
    ]);
  });

  it("explains what the author of each range rests on", () => {
    const [first] = answer.ranges;
    const wrote = {
      ...first!,
      basis: "written",
      said_by: "pommel",
      tool_use: "Edit\n1",
      confidence: 0.98,
    } as const;
    const text = renderDocument(wordExplainedBlame({ ...answer, ranges: [wrote, answer.ranges[2]!] }), {
      screen: screenOf(undefined),
    });
    expect(text.split("\n")).toEqual([
      "1-2  agent claude-opus-4-5-20251101 8ecde0fc:7 98%  11111111",
      expect.stringMatching(/^ {4}The text .* \(Edit 1\)$/),
      "4  unknown  --------",
      "    There is no evidence.",
    ]);
  });

  it("sums up with a bar on a terminal", () => {
    const text = renderDocument(wordBlameSummary(answer), { screen: screenOf(60) });
    expect(text).toContain(
      `src/login.ts  4 lines, 1 not committed yet\n${"█".repeat(30)}${"▓".repeat(15)}${"░".repeat(15)}\n`,
    );
    expect(text).toContain("\n50%      2  8ecde0fc  Fix the login  7");
  });
});

describe("pm blame of a directory", () => {
  const files = [
    { file: "src/a/x.ts", lines: 10, agent: 10, human: 0, unknown: 0, before_agents: 0 },
    { file: "src/a/y.ts", lines: 10, agent: 0, human: 10, unknown: 0, before_agents: 0 },
    { file: "src/login.ts", lines: 30, agent: 15, human: 0, unknown: 15, before_agents: 0 },
    { file: "srcs/z.ts", lines: 1, agent: 1, human: 0, unknown: 0, before_agents: 0 },
  ];

  it("sums up what lies directly in it", () => {
    expect(sumByEntry(files, "src/").map(({ path, lines }) => [path, lines])).toEqual([
      ["src/login.ts", 30],
      ["src/a/", 20],
    ]);
    expect(sumByEntry(files, "").map(({ path }) => path)).toEqual(["src/", "srcs/"]);
  });

  it("has a row with a bar for each", () => {
    const total = { lines: 50, agent: 25, human: 10, unknown: 15, before_agents: 0 };
    const entries = sumByEntry(files, "src/");
    const notes = ["1 commit is not analysed yet."];
    expect(
      renderDocument(wordBlamedDirectory({ directory: "src", root: "/repo", total, entries, notes }), {
        screen: screenOf(80),
      }),
    ).toBe(
      [
        "src  50 lines added by commits  ● agent 50%  ○ person 20%  · unknown 30%",
        ...notes,
        "",
        "path                                agents  people  unknown  lines",
        "src/login.ts  ██████████░░░░░░░░░░     50%       –      50%     30",
        "src/a/        ██████████▓▓▓▓▓▓▓▓▓▓     50%     50%       0%     20",
      ].join("\n"),
    );
  });
});
