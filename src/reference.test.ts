import { basename } from "node:path";
import { expect, it } from "vitest";
import { referencePages } from "../scripts/reference.ts";

it("the reference pages say what is declared (else: npm run docs:reference)", async () => {
  for (const [file, { now, wanted }] of await referencePages()) expect(now, basename(file)).toBe(wanted);
});
