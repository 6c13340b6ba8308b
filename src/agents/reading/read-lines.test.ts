import { appendFileSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Cursor } from "../agent.ts";
import { type ReadLinesOptions, readLines } from "./read-lines.ts";

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "pommel-lines-")), "a.jsonl");
});

interface Read {
  lines: string[];
  cursor: Cursor | null;
  tooLong: number;
}

async function read(cursor: Cursor | null = null, options: ReadLinesOptions = {}): Promise<Read> {
  const all: Read = { lines: [], cursor, tooLong: 0 };
  for await (const batch of readLines(file, cursor, options)) {
    all.lines.push(...batch.lines.map((line) => line.bytes.toString("latin1")));
    all.cursor = batch.cursor;
    all.tooLong += batch.tooLong;
  }
  return all;
}

const changed = expect.objectContaining({ code: "transcript_changed" });

describe("reading lines", () => {
  it.each([
    ["nothing", "", []],
    ["an unfinished line only", "ab", []],
    ["one line", "ab\n", ["ab"]],
    ["lines and an unfinished one", "ab\n\ncd\nef", ["ab", "", "cd"]],
    [
      "carriage returns, NULs and bytes that are no UTF-8",
      "a\r\n\0\0\n\xff\xfe\n",
      ["a\r", "\0\0", "\xff\xfe"],
    ],
  ])("gives the whole lines of %s", async (_, content, lines) => {
    writeFileSync(file, content, "latin1");
    expect((await read()).lines).toEqual(lines);
  });

  it("throws the system's error for a missing file", async () => {
    await expect(read()).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("yields batches of about the requested size, including longer lines", async () => {
    const lines = ["a".repeat(30), "b".repeat(300), "c".repeat(30), "d".repeat(99), "e".repeat(5)];
    writeFileSync(file, `${lines.join("\n")}\n`);
    const batches: number[] = [];
    for await (const batch of readLines(file, null, { batch: 100 })) batches.push(batch.lines.length);
    expect(batches.length).toBeGreaterThan(2);
    expect((await read(null, { batch: 100 })).lines).toEqual(lines);
  });

  it("stops on abort", async () => {
    writeFileSync(file, "a\n".repeat(1000));
    await expect(read(null, { batch: 10, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it("reports line offsets, also after a line that was too long and after a cursor", async () => {
    const text = "ab\ncdefghi\nj\n\nk\n";
    writeFileSync(file, text);
    const { cursor } = await read(null, { end: 3 });
    for (const from of [null, cursor]) {
      for await (const { lines } of readLines(file, from, { batch: 4, longest: 5 })) {
        for (const { bytes, start } of lines) {
          expect(text.slice(start, start + bytes.length + 1)).toBe(`${bytes}\n`);
          expect(start === 0 || text[start - 1] === "\n").toBe(true);
        }
      }
    }
  });

  it("omits lines that begin after the end", async () => {
    writeFileSync(file, "ab\ncd\nef\n");
    expect((await read(null, { end: 6 })).lines).toEqual(["ab", "cd"]);
  });
});

describe("the cursor", () => {
  it("resumes after the last whole line", async () => {
    writeFileSync(file, "ab\ncd");
    const first = await read();
    appendFileSync(file, "ef\ngh\n");
    const second = await read(first.cursor);
    expect([first.lines, second.lines]).toEqual([["ab"], ["cdef", "gh"]]);
    expect(await read(second.cursor)).toEqual({ lines: [], cursor: second.cursor, tooLong: 0 });
  });

  it.each([
    ["shorter", (text: string) => text.slice(0, -3)],
    ["empty", () => ""],
    ["rewritten", (text: string) => text.replaceAll("b", "x")],
    ["moved on within a line", (text: string) => `a${text}`],
    ["joined with the line before", (text: string) => text.replace("\n", " ")],
    ["moved on by whole lines", (text: string) => `zz\n${text}`],
  ])("says that a file that is %s was changed", async (_, change) => {
    const text = "aa\nbbb\n";
    writeFileSync(file, text);
    const { cursor } = await read();
    writeFileSync(file, change(text));
    await expect(read(cursor)).rejects.toEqual(changed);
  });

  it.each(["", "3", "0-", "-3-aa", "999999999999-".padEnd(45, "a")])(
    "is rejected when invalid: %j",
    async (lineHash) => {
      writeFileSync(file, "aa\nbb\n");
      await expect(read({ offset: 3, lineHash })).rejects.toEqual(changed);
    },
  );

  it("tolerates a file that is truncated while it is read", async () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    const seen: string[] = [];
    let cursor: Cursor | null = null;
    for await (const batch of readLines(file, null, { batch: 64 })) {
      seen.push(...batch.lines.map((line) => String(line.bytes)));
      cursor = batch.cursor;
      truncateSync(file, 20);
    }
    expect(lines.slice(0, seen.length)).toEqual(seen);
    await expect(read(cursor)).rejects.toEqual(changed);
  });
});

describe("a last line without a line feed", () => {
  const isWhole = (line: Buffer) => line.at(-1) === 0x7d;

  it("is yielded when complete, and its later line feed adds nothing", async () => {
    writeFileSync(file, "{a}\n{b}");
    const first = await read(null, { isWhole });
    expect(first).toMatchObject({ lines: ["{a}", "{b}"], cursor: { offset: 7 } });
    expect(await read(first.cursor, { isWhole })).toEqual({ ...first, lines: [] });
    appendFileSync(file, "\r\n");
    const second = await read(first.cursor, { isWhole });
    expect(second.lines).toEqual(["\r"]);
    appendFileSync(file, "{c}\n");
    expect((await read(second.cursor, { isWhole })).lines).toEqual(["{c}"]);
  });

  it("is left for later when incomplete", async () => {
    writeFileSync(file, "{a}\n{b");
    expect(await read(null, { isWhole })).toMatchObject({ lines: ["{a}"], cursor: { offset: 4 } });
  });

  it("counts as changed when it continues after all", async () => {
    writeFileSync(file, "{a}");
    const { cursor } = await read(null, { isWhole });
    appendFileSync(file, " more\n");
    await expect(read(cursor, { isWhole })).rejects.toEqual(changed);
  });
});

describe("a line that is too long", () => {
  it.each([64, 256, 4096])(
    "is skipped and counted, and can be resumed after (batches of %i)",
    async (batch) => {
      writeFileSync(file, `ab\n${"x".repeat(1000)}\ncd\n${"y".repeat(1000)}\n`);
      const all = await read(null, { batch, longest: 500 });
      expect(all).toMatchObject({ lines: ["ab", "cd"], tooLong: 2, cursor: { offset: 2008 } });
      appendFileSync(file, "ef\n");
      expect((await read(all.cursor, { batch, longest: 500 })).lines).toEqual(["ef"]);
    },
  );

  it("is not consumed before it ends", async () => {
    writeFileSync(file, `ab\n${"x".repeat(1000)}`);
    const first = await read(null, { batch: 64, longest: 500 });
    expect(first).toMatchObject({ lines: ["ab"], tooLong: 0, cursor: { offset: 3 } });
    appendFileSync(file, "\ncd\n");
    expect(await read(first.cursor, { batch: 64, longest: 500 })).toMatchObject({
      lines: ["cd"],
      tooLong: 1,
    });
  });
});

it("yields the same lines however the file grows and whatever the batch sizes", async () => {
  const pieces = fc.array(fc.stringMatching(/^[ab\n]{0,40}$/), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      pieces,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 30 }),
      async (grown, batch, longest) => {
        writeFileSync(file, "");
        const all: Read = { lines: [], cursor: null, tooLong: 0 };
        for (const piece of grown) {
          appendFileSync(file, piece);
          const more = await read(all.cursor, { batch, longest });
          all.lines.push(...more.lines);
          all.cursor = more.cursor;
          all.tooLong += more.tooLong;
        }
        const whole = grown.join("").split("\n").slice(0, -1);
        expect(all.lines).toEqual(whole.filter((line) => line.length <= longest));
        expect(all.tooLong).toBe(whole.filter((line) => line.length > longest).length);
      },
    ),
    { numRuns: 300 },
  );
});
