import { expect, it } from "vitest";
import { resultLimit } from "./values.ts";

it("takes limits of results that the daemon takes, and names them", () => {
  expect([resultLimit("1"), resultLimit("1000")]).toEqual([1, 1000]);
  for (const text of ["0", "1001", "2.5", "many", ""]) {
    expect(() => resultLimit(text)).toThrow("It must be a whole number from 1 to 1000.");
  }
});
