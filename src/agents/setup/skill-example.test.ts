import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");

it("the skill shows an answer as the documentation has it, which the program writes", () => {
  const [, asked = "", answer = ""] =
    /`(pm recall "[^`]+)` answers\s+```\n([\s\S]+?)```/.exec(read("skills/pommel/SKILL.md")) ?? [];
  expect(answer).not.toBe("");
  expect(read("docs/mcp.md")).toContain(`$ ${asked}\n${answer}`);
});
