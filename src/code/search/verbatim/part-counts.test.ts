import fc from "fast-check";
import { expect, it, test } from "vitest";
import { createPartCounter } from "./part-counts.ts";

const counted = (text: string, part: string, isWhole = false) =>
  createPartCounter([{ text: part, isWhole }])(Buffer.from(text))[0];

it.each([
  ["retry, Retries and RETRIED", "retr", false, 3],
  ["parseHTTPRetry2 http_retry $retry", "retry", false, 3],
  ["parseHTTPRetry", "http", false, 1],
  ["comet bamet met", "met", false, 1],
  ["v12 2", "2", false, 1],
  ["dbs db dbName DB2 db_2", "db", true, 3],
  ["naïve ïve", "ve", false, 0],
  ["重试三次, 重试", "重试", false, 2],
  ["", "x", false, 0],
])("parts of names in %j that begin with %j (whole: %j): %i", (text, part, isWhole, count) => {
  expect(counted(text, part, isWhole)).toBe(count);
});

test("parts are counted wherever they stand, each by itself", () => {
  const letters = fc.constantFrom(..."aAbB1_ \n");
  const part = fc.string({ unit: fc.constantFrom(..."ab1"), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.string({ unit: letters, maxLength: 70 }),
      fc.array(part, { maxLength: 3 }),
      (text, parts) => {
        const counts = createPartCounter(parts.map((one) => ({ text: one, isWhole: false })))(
          Buffer.from(text),
        );
        expect([...counts]).toEqual(parts.map((one) => countPlainly(text, one)));
      },
    ),
  );
});

test("what an earlier file had behind the end of this one is not counted", () => {
  const count = createPartCounter([{ text: "two", isWhole: false }]);
  expect(count(Buffer.from("one two three four five"))[0]).toBe(1);
  expect(count(Buffer.from("one tw"))[0]).toBe(0);
  expect(count(Buffer.alloc(200_000, "two "))[0]).toBe(50_000);
});

function countPlainly(text: string, part: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const [before = "", first = "", second = ""] = [text[at - 1], text[at], text[at + 1]];
    const begins = /[A-Z]/.test(first)
      ? !/[A-Z]/.test(before) || /[a-z]/.test(second)
      : /\d/.test(first)
        ? !/\d/.test(before)
        : !/[A-Za-z]/.test(before);
    if (begins && text.slice(at).toLowerCase().startsWith(part)) count++;
  }
  return count;
}
