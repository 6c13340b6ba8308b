import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { builtKernel } from "../../project/kernel.ts";
import { plainHeldBytes, wasmHeldBytes } from "./held-bytes.ts";

const inWasm = wasmHeldBytes(new WebAssembly.Module(readFileSync(builtKernel())));
const letters = fc.constantFrom(..."aAbB@`[{ \n");

test("bytes hold texts wherever they stand, letter case aside, as both ways find them", () => {
  const text = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.string({ unit: letters, maxLength: 60 }),
      fc.array(text, { maxLength: 2 }),
      (held, texts) => {
        const bytes = Buffer.from(held);
        const holds = texts.every((one) => held.toLowerCase().includes(one.toLowerCase()));
        expect(inWasm(bytes, texts)).toBe(holds);
        expect(plainHeldBytes(bytes, texts)).toBe(holds);
      },
    ),
  );
});

test("what an earlier file had behind the end of this one is not found", () => {
  inWasm(Buffer.from("one two three four five six"), ["x"]);
  expect(inWasm(Buffer.from("one tw"), ["two"])).toBe(false);
  expect(inWasm(Buffer.from("one two"), ["two"])).toBe(true);
});
