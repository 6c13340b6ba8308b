import { expect, it } from "vitest";
import { absolute } from "./tool-calls.ts";

it("a path is absolute by the rules of the system that its transcript comes from", () => {
  expect(absolute("src/a.ts", "/home/ada/x")).toBe("/home/ada/x/src/a.ts");
  expect(absolute("src\\a.ts", "C:\\Users\\ada")).toBe("C:\\Users\\ada\\src\\a.ts");
  expect(absolute("src/a.ts", "D:/data")).toBe("D:\\data\\src\\a.ts");
  expect(absolute("a.ts", "\\\\wsl.localhost\\Ubuntu\\home")).toBe("\\\\wsl.localhost\\Ubuntu\\home\\a.ts");
  // Never by where this process runs.
  for (const cwd of [".", "src", "~/x", null]) expect(absolute("a.ts", cwd)).toBe("a.ts");
});
