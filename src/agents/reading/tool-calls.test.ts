import { expect, it } from "vitest";
import { toAbsolutePath } from "./tool-calls.ts";

it("a path is absolute by the rules of the system that its transcript comes from", () => {
  expect(toAbsolutePath("src/a.ts", "/home/ada/x")).toBe("/home/ada/x/src/a.ts");
  expect(toAbsolutePath("src\\a.ts", "C:\\Users\\ada")).toBe("C:\\Users\\ada\\src\\a.ts");
  expect(toAbsolutePath("src/a.ts", "D:/data")).toBe("D:\\data\\src\\a.ts");
  expect(toAbsolutePath("a.ts", "\\\\wsl.localhost\\Ubuntu\\home")).toBe(
    "\\\\wsl.localhost\\Ubuntu\\home\\a.ts",
  );
  // Never by where this process runs.
  for (const cwd of [".", "src", "~/x", null]) expect(toAbsolutePath("a.ts", cwd)).toBe("a.ts");
});
