import fc from "fast-check";
import { expect, it } from "vitest";
import { parseRecords } from "./line-schema.ts";
import { type ClaudeContext, matchNoise, parseLine } from "./understand.ts";

const around: ClaudeContext = {
  agentId: null,
  earlier: { ownUses: new Set(), ownShells: new Set(), queued: [], given: [] },
  speaksOfThis: false,
};

const bytes = (line: unknown) => Buffer.from(typeof line === "string" ? line : JSON.stringify(line));
const progress = {
  parentUuid: "a-1",
  isSidechain: false,
  cwd: '/home/"quoted"\\',
  type: "progress",
  data: { uuid: "inner", message: { uuid: "deeper" } },
  uuid: "b-2",
  timestamp: "2026-03-02T09:00:00.000Z",
};

it("noise: recognises progress lines, whatever their last field", () => {
  const { uuid, ...rest } = progress;
  for (const line of [progress, { ...rest, uuid }, { ...progress, parentUuid: null }]) {
    expect(matchNoise(bytes(line))).toEqual(parseLine(parseRecords(bytes(line))[0]!, around));
    expect(matchNoise(bytes(line))?.lines[0]?.uid).toBe("b-2");
  }
});

it("noise: recognises file snapshots", () => {
  const line = { type: "file-history-snapshot", messageId: "x", snapshot: {} };
  expect(matchNoise(bytes(line))).toEqual({ lines: [], skipped: "type:file-history-snapshot" });
});

it.each([
  ["a prompt about progress", { type: "user", message: { content: '{"type":"progress","data":' } }],
  [
    "a result that holds progress",
    { parentUuid: null, isSidechain: false, toolUseResult: { type: "progress" }, type: "user", uuid: "x" },
  ],
  ["progress of a side chain", { ...progress, isSidechain: true }],
  ["progress without an id of its own", { ...progress, uuid: undefined }],
  ["two lines in one", `${JSON.stringify(progress).slice(0, 150)}${JSON.stringify(progress)}`],
  ["a line cut off", JSON.stringify(progress).slice(0, -1)],
  ["nothing", ""],
])("leaves %s to be parsed", (_, line) => {
  expect(matchNoise(bytes(line))).toBeNull();
});

it("noise: agrees with parsing for every recognised line", () => {
  const key = fc.constantFrom("parentUuid", "isSidechain", "type", "uuid", "data", "message", "timestamp");
  const value = fc.oneof(
    fc.constantFrom("progress", "user", "a-1", null, false),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const head = fc.constantFrom({ parentUuid: "p", isSidechain: false, type: "progress" }, {});
  fc.assert(
    fc.property(
      head,
      fc.dictionary(key, value, { maxKeys: 5 }),
      fc.constantFrom({ uuid: "b" }, {}),
      (first, middle, last) => {
        const line = bytes({ ...first, ...middle, ...last });
        const found = matchNoise(line);
        if (found) expect(found).toEqual(parseLine(parseRecords(line)[0]!, around));
      },
    ),
    { numRuns: 2000 },
  );
});
