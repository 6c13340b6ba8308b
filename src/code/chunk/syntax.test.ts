import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Parser } from "web-tree-sitter";
import { chunk, grammarDir, outline } from "../../../test/support/chunk-fixture.ts";
import { findGrammar } from "../languages/index.ts";
import { SourceParser } from "../parse/parser.ts";
import { parseSyntax } from "./syntax.ts";

/** Error recovery of these swallows the code that follows. */

describe("a definition after one that does not parse", () => {
  test("is found where it is, with its docs and members", async () => {
    const text = `class Fine {\n}\n\nval x = { (\n\n/** Opens it. */\nclass Door(val width: Int) {\n    fun open() {\n        push()\n    }\n}\n`;
    const result = await chunk("d.kt", "kotlin", text);
    expect(result.hasSyntaxErrors).toBe(true);
    expect(outline(result)).toEqual([
      "class class Fine 1-2",
      "class class Door 6-11",
      "  method method open 8-10",
    ]);
    const door = result.chunks.find(({ name }) => name === "Door")!;
    expect(door).toMatchObject({
      signature: "class Door(val width: Int)",
      docs: [{ text: "/** Opens it. */" }],
    });
    expect(result.symbols.map(({ name, line }) => `${name} ${line}`)).toEqual([
      "Fine 1",
      "x 4",
      "Door 7",
      "open 8",
    ]);
  });

  test("is found as a member of the class around, which stays", async () => {
    const members = "    fun a() {\n    }\n\n    fun (((\n\n    fun b() {\n    }\n\n    fun c() {\n    }\n";
    const { symbols } = await chunk("k.kt", "kotlin", `class K {\n${members}}\n\nfun after() {\n}\n`);
    expect(symbols.map(({ name }) => name)).toEqual(expect.arrayContaining(["K", "a", "b", "c", "after"]));
  });

  test.each([
    ["kotlin", "fun good() {\n}\n"],
    ["java", "class good {\n}\n"],
    ["csharp", "class good {\n}\n"],
    ["c", "int good(void)\n{\n  return 1;\n}\n"],
    ["cpp", "int good()\n{\n  return 1;\n}\n"],
    ["go", "func good() {\n}\n"],
    ["rust", "fn good() {\n}\n"],
    ["swift", "func good() {\n}\n"],
    ["scala", "object good {\n}\n"],
    ["php", "function good() {\n}\n"],
    ["typescript", "function good() {\n}\n"],
    ["javascript", "function good() {\n}\n"],
  ])("is found in %s whatever brackets are open, but for rare ties", async (language, good) => {
    const open = fc.array(fc.constantFrom("{", "(", "[", "f", "\n", "  "), { maxLength: 12 });
    const start = language === "php" ? "<?php\n" : "";
    let lost = 0;
    const samples = fc.sample(open, { numRuns: 200, seed: 1 });
    for (const pieces of samples) {
      // The one right after the damage may count as a part of it.
      const text = `${start}${pieces.join(" ")}\n\n${good}\n${good.replace("good", "other")}`;
      const { symbols } = await chunk("a.any", language, text);
      const times = symbols.filter(({ name }) => name === "other").length;
      expect(times).toBeLessThan(2);
      lost += 1 - times;
    }
    expect(lost / samples.length).toBeLessThan(0.03);
  });
});

describe("what only a preprocessor understands", () => {
  test("branches that do not fit together cost only the function they are in its inner structure", async () => {
    const torn =
      "int torn(int x)\n{\n#ifdef A\n  if(x) {\n#else\n  if(!x) {\n#endif\n    go();\n  }\n  return x;\n}\n";
    const text = `#ifdef WHOLE\n\n${torn}\nint next(void)\n{\n  return 2;\n}\n\n#endif\n`;
    const result = await chunk("t.c", "c", text);
    expect(outline(result)).toEqual(["method function torn 3-13", "method function next 15-18"]);
  });

  test("macros around declarations are not in the way", async () => {
    const text = `LIB_BEGIN_NAMESPACE

LIB_EXPORT template <typename T, LIB_ENABLE_IF(is_int<T>::value && !is_bool<T>::value)>
LIB_CONSTEXPR auto narrow(T value) -> int {
  if LIB_CONSTEXPR20 (sizeof(T) > 4) return 0;
  return value;
}

class LIB_API("default") widget : public base {
 public:
  LIB_CONSTEXPR void resize(int size) LIB_NOEXCEPT { size_ = size; }
};

LIB_END_NAMESPACE
`;
    const { symbols } = await chunk("lib.hpp", "cpp", text);
    expect(symbols.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "function narrow",
      "class widget",
      "method resize",
    ]);
  });

  test("a constructor's annotations on a line of their own leave the class its members", async () => {
    const text =
      "class Result<out T>\n@Published internal constructor(@Published val x: Any?) {\n    fun get() = x\n}\n";
    expect(outline(await chunk("r.kt", "kotlin", text))).toEqual([
      "class class Result 1-4",
      "  method method get 3-3",
    ]);
  });
});

describe("effort", () => {
  const long = "fun f() {\n}\n\nval x = { (\n\nfun g() {\n}\n\nfun h() {\n}\n";

  /** Really parses, at most so often, and counts trees that were not deleted. */
  async function tried(text: string, most: number) {
    const kotlin = findGrammar("kotlin")!;
    const loader = new SourceParser(grammarDir);
    const language = await loader.loadLanguage(kotlin.wasm);
    const parser = new Parser();
    parser.setLanguage(language);
    let times = 0;
    let kept = 0;
    const syntax = parseSyntax(text, kotlin, (source, parts) => {
      if (times >= most) return null;
      times++;
      const tree = parser.parse(source, null, { includedRanges: parts })!;
      const free = tree.delete.bind(tree);
      kept++;
      tree.delete = () => {
        kept--;
        free();
      };
      return tree;
    });
    const names = syntax?.outline.definitions.map(({ name }) => name) ?? null;
    syntax?.delete();
    return { names, times, kept };
  }

  test("what parses is parsed once", async () => {
    expect(await tried("fun f() {\n}\n", 9)).toEqual({ names: ["f"], times: 1, kept: 0 });
  });

  test("every tree is given back", async () => {
    const { names, times, kept } = await tried(long, 99);
    expect(names).toEqual(["f", "x", "g", "h"]);
    expect(times).toBeGreaterThan(2);
    expect(kept).toBe(0);
  });

  test("when time is up, what was found until then is kept", async () => {
    expect((await tried(long, 1)).names).toContain("f");
    expect(await tried(long, 0)).toEqual({ names: null, times: 0, kept: 0 });
  });
});
