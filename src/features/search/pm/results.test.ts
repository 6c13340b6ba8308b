import { expect, test } from "vitest";
import { exitCode } from "../../../base/errors.ts";
import type { SearchResponse } from "../../../protocol/results.ts";
import { createPalette } from "../../../terminal/palette.ts";
import { compileQueryWords } from "../../../terminal/render-found.ts";
import { renderGroups } from "./groups.ts";
import { chooseExitCode, renderAnswer } from "./results.ts";

type Result = SearchResponse["results"][number];

const result: Result = {
  id: "0123456789abcdef",
  file: "src/http/retry.ts",
  start_line: 10,
  end_line: 16,
  level: "method",
  kind: "function",
  language: "typescript",
  name: "retryRequest",
  score: 0.974,
  content: [
    "\t/** Sends it again. */",
    "\tasync function retryRequest(send: Send) {",
    "\t\tconst limit = 3;",
    "\t\tfor (let i = 0; i < limit; i++) {",
    "\t\t\tawait backoff(i);",
    "\t\t}",
    "\t}",
  ].join("\n"),
  parent_id: "fedcba9876543210",
  parent_name: "Client",
  match_reasons: ["defines retryRequest", "its text matches"],
  freshness: "fresh",
  places: [],
  also_in: [],
};

function answerOf(query: string, ...results: Result[]): SearchResponse {
  const index = { pending: 0, is_complete: true, as_of: null };
  const meta = { search_time_ms: 1.5, searched_by: ["words"], notes: [] };
  const judgement = { verdict: "found" as const, probability: 0.83 };
  return { query, ...judgement, results, total_results: results.length, ...meta, index };
}

const plain = {
  full: false,
  isFiltered: false,
  isExact: false,
  pathOf: (file: string) => file,
  absolute: (file: string) => `/repo/${file}`,
  pageOf: () => null,
  screen: { colors: createPalette(), columns: 80, now: Date.now() },
};

const pipe = { ...plain.screen, columns: undefined };

test("shows where, what, why and the lines that match", () => {
  expect(renderAnswer(answerOf("backoff limit", result), plain)).toBe(
    [
      "1. src/http/retry.ts:10  function retryRequest in Client",
      "   defines retryRequest; its text matches",
      "   10 │ /** Sends it again. */",
      "   12 │   const limit = 3;",
      "   13 │   for (let i = 0; i < limit; i++) {",
      "   14 │     await backoff(i);",
      "",
      "1 of 1 results, 2 ms",
    ].join("\n"),
  );
});

test("says how much was there to search while the index is built, and that nothing was found only of that", () => {
  const coverage = { of: "files" as const, done: 1, total: 8, files_read: 8 };
  const judged = { verdict: "not_yet" as const, coverage };
  expect(renderAnswer({ ...answerOf("backoff limit", result), ...judged }, plain)).toMatch(
    /^From the text of 8 files; the index is 12 % done\.\n\n1\. src/,
  );
  const nothing = { ...answerOf("zebra"), ...judged };
  expect(renderAnswer(nothing, plain)).toBe(
    "None of 8 files contains these words yet: the index, which also finds by meaning, is 12 % done.",
  );
  expect(renderGroups({ code: nothing, transcripts: null, history: null }, plain)).toBe(
    renderAnswer(nothing, plain),
  );
});

test("what may still be found is no failure of a script", () => {
  const side = { results: [], verdict: "probably_not_here" as const };
  expect(chooseExitCode({ code: side, transcripts: null, history: null })).toBe(exitCode.notFound);
  expect(chooseExitCode({ code: { ...side, verdict: "not_yet" }, transcripts: side, history: null })).toBe(
    exitCode.ok,
  );
  expect(chooseExitCode({ code: answerOf("retry", result), transcripts: null, history: null })).toBe(
    exitCode.ok,
  );
});

test("shows the whole chunk on request", () => {
  const lines = renderAnswer(answerOf("backoff", result), { ...plain, full: true }).split("\n");
  expect(lines.filter((line) => line.includes("│"))).toHaveLength(7);
});

test("tells what calls a result from what only uses it, and what it calls", () => {
  const end = { file: "src/client.ts", name: "get", kind: "method", parent: "Client", line: 3, end_line: 9 };
  const call = { ...end, how: "call" as const, lines: [5], confidence: "resolved" as const, candidates: 1 };
  const graph = {
    is_known: true,
    used_by: [
      call,
      { ...call, name: "client.test.ts", file: "src/client.test.ts", kind: "file", parent: null },
      { ...call, name: "post", how: "use" as const, confidence: "ambiguous" as const, candidates: 2 },
    ],
    used_by_total: 4,
    used_by_tests: 0,
    // A base that is a type as well is named once.
    uses: (["base", "type"] as const).map((how) => ({ ...call, name: "Policy", parent: null, how })),
    uses_total: 2,
    unknown_calls: 1,
  };
  const shown = (more: object) =>
    renderAnswer(answerOf("backoff", { ...result, graph: { ...graph, ...more } }), {
      ...plain,
      screen: pipe,
    });
  expect(shown({})).toContain(
    [
      "   called by Client.get src/client.ts:5, src/client.test.ts:5; used by Client.post src/client.ts:5 (1 of 2), 1 more",
      "   uses Policy; 1 unresolved call",
    ].join("\n"),
  );
  expect(shown({ used_by: [], used_by_total: 0 })).toContain("used by nothing known");
  expect(shown({ is_known: false })).toContain("uses are not known for its language");
});

test("marks the words of the query, whatever characters they hold", () => {
  const colors = createPalette({ color: true });
  const marked = renderAnswer(answerOf("BACKOFF ((", result), {
    ...plain,
    screen: { ...plain.screen, colors },
  });
  expect(marked).toContain(`await ${colors.match("backoff")}(i);`);
  expect(
    renderAnswer(answerOf("limit .* [ $", result), { ...plain, screen: { ...plain.screen, colors } }),
  ).toContain(`const ${colors.match("limit")} = 3;`);
});

test("cuts lines that would wrap, and keeps them whole with --full", () => {
  const long = { ...result, content: `${"x".repeat(300)} retry` };
  const cut = renderAnswer(answerOf("retry", long), plain).split("\n");
  expect(Math.max(...cut.map((line) => line.length))).toBe(80);
  expect(renderAnswer(answerOf("retry", long), { ...plain, full: true })).toContain("x retry");
});

test("lets no file write to the terminal", () => {
  const hostile = { ...result, name: "a\x1b[2J", content: "\x1b]0;title\x07 retry\r\u202e" };
  const shown = renderAnswer(answerOf("retry", hostile), plain);
  expect(shown).not.toMatch(/[\x1b\x07\r\u202e]/);
});

test("says that a file has changed, and what each signal gave", () => {
  const drifted = { ...result, freshness: "drifted" as const, signals: { lexical: 0.2, name: 0.5, path: 0 } };
  const shown = renderAnswer(answerOf("retry", drifted), { ...plain, screen: pipe });
  expect(shown).toContain("(changed since it was indexed)");
  expect(shown).toContain("name 0.500, lexical 0.200\n");
});

test("says what to do when nothing is found", () => {
  expect(renderAnswer(answerOf("unicorn"), plain)).toContain('Nothing found about "unicorn".');
  expect(renderAnswer(answerOf("unicorn"), { ...plain, isFiltered: true })).toContain("without --path");
});

test("says so when nothing holds a text as it is, and shows the lines that do", () => {
  expect(renderAnswer(answerOf("unicorn"), { ...plain, isExact: true })).toContain("without --exact");
  const held = { ...result, content: `f() {\n${"retry\n".repeat(9)}}((\n}`, match_lines: [20] };
  expect(renderAnswer(answerOf("}((", held), plain)).toContain("20 │ }((");
});

test("survives chunks without a word", () => {
  expect(renderAnswer(answerOf("x", { ...result, content: "}\n\n}" }), plain)).toContain("retry.ts:10");
  expect(renderAnswer(answerOf("x", { ...result, content: "" }), { ...plain, full: true })).toContain("│");
});

test.each([
  ["export daemonPort", "export daemon[Port]"],
  ["the port: ports", "the [port]: [ports]"],
  ["TCPPort EXPORT", "TCP[Port] EXPORT"],
])("marks a word where it begins: %s", (line, marked) => {
  const { mark, countIn } = compileQueryWords("port");
  expect(mark(line, (word) => `[${word}]`)).toBe(marked);
  expect(countIn(line)).toBe(1);
  expect(countIn("export")).toBe(0);
});
