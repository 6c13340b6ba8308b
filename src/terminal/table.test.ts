import { expect, it } from "vitest";
import { screenOf } from "../../test/support/screen.ts";
import { measureWidth } from "../base/text/display-width.ts";
import { type DocumentColumn, formatTable } from "./table.ts";

const columns: DocumentColumn[] = [
  { title: "session" },
  { title: "turns", isNumber: true },
  { title: "note", optional: 2 },
  { title: "branch", wraps: true, optional: 1 },
  { title: "title", wraps: true },
];
const rows = [
  ["8ecde0fc", "7", "", "main", "Retry failed requests with exponential backoff and a limit"],
  [
    "fdd24234",
    "1,204",
    "",
    "修正/登录页面-再试一次",
    "修正登录页面 🚀 在 网络 中断 之后 自动 重新 连接 并且 提示 用户",
  ],
  ["c010174c", "12", "", "", "Ship it 👩‍👩‍👧"],
];

it("wraps at words and leaves out what matters least, at every width", () => {
  expect(formatTable(columns, rows, screenOf(60))).toBe(
    [
      "session   turns  title",
      "8ecde0fc      7  Retry failed requests with exponential",
      "                 backoff and a limit",
      "fdd24234  1,204  修正登录页面 🚀 在 网络 中断 之后 自动 重新",
      "                 连接 并且 提示 用户",
      "c010174c     12  Ship it 👩‍👩‍👧",
    ].join("\n"),
  );
  expect(formatTable(columns, rows, screenOf(80))).toBe(
    [
      "session   turns  branch                  title",
      "8ecde0fc      7  main                    Retry failed requests with exponential",
      "                                         backoff and a limit",
      "fdd24234  1,204  修正/登录页面-再试一次  修正登录页面 🚀 在 网络 中断 之后 自动",
      "                                         重新 连接 并且 提示 用户",
      "c010174c     12                          Ship it 👩‍👩‍👧",
    ].join("\n"),
  );
  expect(formatTable(columns, rows, screenOf(140))).toBe(
    [
      "session   turns  branch                  title",
      "8ecde0fc      7  main                    Retry failed requests with exponential backoff and a limit",
      "fdd24234  1,204  修正/登录页面-再试一次  修正登录页面 🚀 在 网络 中断 之后 自动 重新 连接 并且 提示 用户",
      "c010174c     12                          Ship it 👩‍👩‍👧",
    ].join("\n"),
  );
});

it("never is wider than the terminal, also where a word is", () => {
  for (const width of [40, 60, 80, 140]) {
    const lines = formatTable(
      columns,
      [["8ecde0fc", "1", "", "x".repeat(90), "y".repeat(300)]],
      screenOf(width),
    );
    for (const line of lines.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.match(/y/g)).toHaveLength(300);
  }
});

it("has a whole row in each line of a pipe", () => {
  expect(formatTable(columns, rows, screenOf()).split("\n")).toEqual([
    "session   turns  branch                  title",
    `8ecde0fc  7      main                    ${rows[0]![4]}`,
    `fdd24234  1,204  修正/登录页面-再试一次  ${rows[1]![4]}`,
    "c010174c  12                             Ship it 👩‍👩‍👧",
  ]);
});

it("keeps colours and links in each of the lines that they go over", () => {
  const { colors } = screenOf(30, { color: true, links: true });
  const cell = colors.link(colors.id("one two three four five six"), "https://example.org/");
  const lines = formatTable([{ title: "" }, { title: "", wraps: true }], [["12345678901234567890", cell]], {
    colors,
    columns: 34,
  }).split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    expect(line).toContain("\u001b[36m");
    expect(line).toContain("\u001b]8;;https://example.org/\u0007");
    expect(line).toContain("\u001b]8;;\u0007");
  }
});
