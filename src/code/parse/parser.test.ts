import { expect, test } from "vitest";
import { grammarDir } from "../../../test/support/chunk-fixture.ts";
import { findGrammar } from "../languages/index.ts";
import { SourceParser } from "./parser.ts";

const javascript = findGrammar("javascript")!;

test("parser: aborts a slow parse, and starts the next one afresh", async () => {
  const parser = new SourceParser(grammarDir);
  const endless = "f(".repeat(200_000);
  expect(await parser.parse(endless, javascript, { worked: 1, clock: () => performance.now() })).toBeNull();
  const syntax = await parser.parse("let a = 1;", javascript);
  expect(syntax?.tree.rootNode.toString()).toBe(
    "(program (lexical_declaration (variable_declarator name: (identifier) value: (number))))",
  );
  syntax?.delete();
});

test("parser: a parse whose thread had to wait is not slow", async () => {
  const parser = new SourceParser(grammarDir);
  const text = "f(1);\n".repeat(20_000);
  const syntax = await parser.parse(text, javascript, { worked: 1, clock: () => 0 });
  expect(syntax?.tree.rootNode.namedChildCount).toBe(20_000);
  syntax?.delete();
});

test("parser: does not read tables of numbers", async () => {
  const parser = new SourceParser(grammarDir);
  const plain = Array.from({ length: 10_000 }, (_, i) => `0x${i.toString(16)}, -${i}.5e-3f,`).join("\n");
  const rows = Array.from({ length: 10_000 }, (_, i) => `{ ${i}u, +.5 },`).join("\n");
  for (const table of [`${plain} 1`, `${rows} { 1 }`]) {
    const text = `double t[] = {\n${table}\n};\nint after(void) { return 1; }\n`;
    const syntax = await parser.parse(text, findGrammar("c")!);
    expect(syntax?.tree.rootNode.descendantCount).toBeLessThan(50);
    expect(syntax?.outline.definitions.map(({ name }) => name)).toContain("after");
    syntax?.delete();
  }
});

test("parser: reads the names in a table", async () => {
  const parser = new SourceParser(grammarDir);
  const rows = Array.from({ length: 5000 }, (_, i) => `{ ${i}, handler },`).join("\n");
  const syntax = await parser.parse(`struct entry t[] = {\n${rows}\n};\n`, findGrammar("c")!);
  expect(syntax?.tree.rootNode.descendantCount).toBeGreaterThan(5000);
  syntax?.delete();
});

test("parser: a missing grammar is an error", async () => {
  const parser = new SourceParser(grammarDir);
  await expect(parser.parse("", { ...javascript, wasm: "klingon" })).rejects.toThrow("klingon.wasm");
});
