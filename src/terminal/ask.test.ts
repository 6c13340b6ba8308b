import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { canAsk, confirm } from "./ask.ts";
import { createOutput } from "./output.ts";

function dialogue(isTTY = true) {
  return {
    input: Object.assign(new PassThrough(), { isTTY }),
    output: Object.assign(new PassThrough(), { isTTY }),
  };
}

it.each([
  ["y\n", false, true],
  ["YES\n", false, true],
  ["\n", true, true],
  ["\n", false, false],
  ["n\n", true, false],
  ["perhaps\n", true, false],
])("takes %j for an answer (default %j)", async (reply, byDefault, expected) => {
  const there = dialogue();
  const asked = confirm("Sure?", byDefault, there);
  there.input.write(reply);
  expect(await asked).toBe(expected);
  expect(String(there.output.read())).toContain(byDefault ? "Sure? [Y/n]" : "Sure? [y/N]");
});

it("takes the end of input for a no", async () => {
  const there = dialogue();
  const asked = confirm("Sure?", true, there);
  there.input.end();
  expect(await asked).toBe(false);
});

it("asks only a person at a terminal", () => {
  expect(canAsk(createOutput(), dialogue())).toBe(true);
  expect(canAsk(createOutput({ json: true }), dialogue())).toBe(false);
  expect(canAsk(createOutput(), dialogue(false))).toBe(false);
});
