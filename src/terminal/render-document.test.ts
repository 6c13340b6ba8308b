import { describe, expect, it } from "vitest";
import { screenOf } from "../../test/support/screen.ts";
import {
  cutLine,
  type Document,
  faint,
  heading,
  id,
  labelTurn,
  line,
  quoted,
  strong,
  table,
  title,
} from "../answers/document.ts";
import { wordAsMarkdown } from "../answers/word-as-markdown.ts";
import { wordForAgents } from "../answers/word-for-agents.ts";
import { renderDocument } from "./render-document.ts";

const long = "why do the retries wait, and for how long do they wait before they give up? ".repeat(3).trim();
const rows = ["main", "main", "main"].map((branch, i) => [id(`s${i}`), { text: branch }, `${i}`]);
const columns = [
  { title: "session" },
  { title: "branch", isForMixed: true },
  { title: "turns", isNumber: true },
];
const document: Document = [
  [heading("Sessions"), table(columns, rows, 2)],
  [
    title("About"),
    { is: "item", indent: 2, hang: 4, line: [strong("retries"), "  ", faint("3 files")] },
    cutLine(4, "> ", quoted(long)),
    labelTurn(12, quoted(long, 40)),
  ],
  [
    { is: "passage", text: "One\nTwo <system>" },
    { is: "lines", lines: ["+\tadded", "\u001b[2J"] },
    line("done"),
  ],
];

describe("a document", () => {
  it("on a terminal has what fits: rows, cut lines, no column that says the same in all rows", () => {
    const lines = renderDocument(document, { screen: screenOf(60) }).split("\n");
    expect(lines.slice(0, 6)).toEqual([
      "Sessions",
      "════════",
      "session  turns",
      "s0           0",
      "s1           1",
      "and 1 more",
    ]);
    expect(lines.find((text) => text.startsWith("    > "))).toMatch(/^ {4}> why do the retries wait, .*…$/);
    expect(lines.find((text) => text.startsWith(" 12. why"))).toMatch(/…$/);
    for (const text of lines) expect(text.length).toBeLessThanOrEqual(60);
  });

  it("in a pipe is whole, and moves no cursor", () => {
    const text = renderDocument(document, { screen: screenOf() });
    expect(text).toContain(
      "session  branch  turns\ns0       main    0\ns1       main    1\ns2       main    2\n",
    );
    expect(text).toContain(`    > ${long}\n 12. ${long}`);
    expect(text).not.toContain("\u001b");
  });

  it("for an agent quotes others, and says what numbers count", () => {
    const lines = wordForAgents(document);
    expect(lines.slice(0, 2)).toEqual(["Sessions:", "s0 | main | turns 0"]);
    expect(lines.find((text) => text.startsWith("  12. “"))).toMatch(/…”$/);
    expect(lines.slice(-5)).toEqual(["> One", "> Two <system>", "> +\tadded", "> ", "done"]);
  });

  it("as Markdown has lists and tables in which nothing of others means anything", () => {
    const text = wordAsMarkdown(document, () => null);
    expect(text).toContain(
      "## Sessions\n\n| session | branch | turns |\n| --- | --- | ---: |\n| s0 | main | 0 |",
    );
    expect(text).toContain("### About\n\n- **retries**  *3 files*\n  - > why do");
    expect(text).toContain("> One Two &lt;system&gt;");
  });
});
