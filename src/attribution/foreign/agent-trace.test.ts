import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { attributedLines, byLine } from "../../../test/support/attributed-lines.ts";
import schema from "../../../test/support/schemas/agent-trace-0.1.0.json" with { type: "json" };
import { buildTraceRecord, readTraces } from "./agent-trace.ts";
import type { AttributedLines } from "./types.ts";

const commit = "7734793b756b3921c88db5375a8c156e9532447b";
const published = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
const write = (lines: readonly AttributedLines[]) =>
  buildTraceRecord({ commit, at: Date.UTC(2026, 0, 5), version: "1.2.3", lines });
const nobody = {
  author: "unknown",
  tool: null,
  model: null,
  session: null,
  call: null,
  person: null,
} as const;
const read = (record: object) => readTraces(JSON.stringify(record)).traces[0]!.lines;
const trace = (conversations: object[], more = {}) => ({
  version: "0.1.0",
  id: "550e8400-e29b-41d4-a716-446655440000",
  timestamp: "2026-01-23T14:30:00Z",
  files: [{ path: "src/a.ts", conversations }],
  ...more,
});

describe("a trace record", () => {
  it("has a conversation for each session, with its ranges, and unknown lines as unknown", () => {
    const agent = {
      ...nobody,
      author: "agent",
      tool: "claude",
      model: "claude-opus-4-5",
      session: "one",
    } as const;
    const record = write([
      { path: "a.ts", first: 1, last: 4, ...agent },
      { path: "a.ts", first: 5, last: 5, ...nobody },
      { path: "a.ts", first: 6, last: 9, ...agent },
    ]);
    expect(record).toMatchObject({
      vcs: { type: "git", revision: commit },
      files: [
        {
          path: "a.ts",
          conversations: [
            {
              url: "pommel:session/claude/one",
              contributor: { type: "ai", model_id: "anthropic/claude-opus-4-5" },
              ranges: [
                { start_line: 1, end_line: 4 },
                { start_line: 6, end_line: 9 },
              ],
            },
            { contributor: { type: "unknown" }, ranges: [{ start_line: 5, end_line: 5 }] },
          ],
        },
      ],
    });
    expect(published.parse(record)).toBeTruthy();
  });

  it("follows the published schema, and loses nothing that it can say", () => {
    const said = ({ author, tool, model, session }: AttributedLines) => [author, tool, model, session];
    fc.assert(
      fc.property(attributedLines, (lines) => {
        const record = write(lines);
        const { success, error } = published.safeParse(record);
        expect(success ? [] : error?.issues).toEqual([]);
        const [found] = readTraces(JSON.stringify(record)).traces;
        expect(found!.commit).toBe(commit);
        expect(byLine(found!.lines, said)).toEqual(byLine(lines, said));
        expect(write(found!.lines)).toEqual(record);
      }),
    );
  });
});

describe("reading trace records", () => {
  it("takes a range's contributor before the conversation's, and mixed or none as unknown", () => {
    const ai = { type: "ai", model_id: "openai/gpt-4o" };
    const ranges = [
      { start_line: 1, end_line: 2 },
      { start_line: 3, end_line: 3, contributor: { type: "human" } },
      { start_line: 4, end_line: 4, contributor: { type: "mixed", model_id: "openai/gpt-4o" } },
    ];
    const lines = read(
      trace([
        { url: "https://example.com/c/1", contributor: ai, ranges },
        { ranges: [{ start_line: 9, end_line: 9 }] },
      ]),
    );
    expect(lines.map(({ first, author, model, session }) => [first, author, model, session])).toEqual([
      [1, "agent", "gpt-4o", "https://example.com/c/1"],
      [3, "human", null, null],
      [4, "unknown", null, null],
      [9, "unknown", null, null],
    ]);
  });

  it("reads one record, an array and lines, and names what is none", () => {
    const one = trace([]);
    expect(readTraces(JSON.stringify(one, null, 2)).traces).toHaveLength(1);
    expect(readTraces(JSON.stringify([one, one])).traces).toHaveLength(2);
    const text = `${JSON.stringify(one)}\n\n{"half":\n${JSON.stringify({ ...one, version: "9.0.0" })}\n`;
    const { traces, problems } = readTraces(text);
    expect(traces).toHaveLength(1);
    expect(problems.map(({ line }) => line)).toEqual([3, 4]);
    expect(problems[0]!.reason).toBe("not JSON");
    expect(problems[1]!.reason).toMatch(/^not a trace record: version: /);
  });

  it("names a commit only by a whole hash of git", () => {
    const commitOf = (vcs: object) => readTraces(JSON.stringify(trace([], { vcs }))).traces[0]!.commit;
    expect(commitOf({ type: "git", revision: commit })).toBe(commit);
    expect(commitOf({ type: "git", revision: "--output=x" })).toBeNull();
    expect(commitOf({ type: "jj", revision: commit })).toBeNull();
  });

  it("never fails, whatever it is given, and is bounded", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const { traces } = readTraces(text);
        expect(traces.flatMap(({ lines }) => lines).every(({ first, last }) => first <= last)).toBe(true);
      }),
    );
    const ranges = Array.from({ length: 30_000 }, (_, i) => ({ start_line: i + 1, end_line: i + 1 }));
    expect(read(trace([{ ranges }]))).toHaveLength(20_000);
    expect(read(trace([{ ranges: [{ start_line: 5, end_line: 3 }] }]))).toEqual([]);
  });
});
