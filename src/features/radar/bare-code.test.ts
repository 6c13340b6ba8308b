import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMarkedCode, isChanged, markCode, stripToCode } from "./bare-code.ts";

const mark = (text: string, path: string) => markCode(stripToCode(text, path, { keepsIndent: true }));

describe("code without comments and layout", () => {
  it.each([
    ["a.ts", "const a = 1; // one\n/* two\n */ b()", "consta=1;b()"],
    ["a.ts", 'log("// no  comment", `a\n b`)', 'log("// no  comment",`a\n b`)'],
    ["a.go", "x := '\"' // quote", "x:='\"'"],
    ["a.rs", "fn f<'a>(x: &'a str) {} // it's", "fnf<'a>(x: &'astr){}"],
    ["a.py", 'def f():\n    """Docs."""\n    return "#"  # why', 'deff():return"#"'],
    ["a.sh", "echo $# # count", "echo$#"],
    ["a.rb", 'puts "a#{b}" # c', 'puts"a#{b}"'],
    ["a.lua", "f() -- g()\n--[[ h()\n]] i()", "f()i()"],
  ])("of %s", (path, text, code) => {
    expect(stripToCode(text, path)).toBe(code);
  });

  it("knows the lines of a language that indents", () => {
    const strip = (text: string) => stripToCode(text, "a.py", { keepsIndent: true });
    expect(strip("if a:\n\n    b()\n")).toBe(strip("if a :\n    # why\n    b( )"));
    expect(strip("if a:\n    b()\n")).not.toBe(strip("if a:\n    b()\n    c()\n"));
    expect(strip("if a:\n    b()\n")).not.toBe(strip("if a:\n  b()\n"));
  });
});

it("a mark finds its code and nothing else", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 60 }),
      fc.string({ minLength: 1, maxLength: 20 }),
      fc.string(),
      (a, b, c) => {
        expect(findMarkedCode(a + b + c, markCode(b))).toBe((a + b + c).indexOf(b));
        expect(findMarkedCode(a, markCode(b))).toBe(a.indexOf(b));
      },
    ),
  );
});

describe("an edit changes a function", () => {
  const text = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";
  const one = mark("export function one() {\n  return 1;\n}", "a.ts");
  it.each([
    ["its own lines", text.replace("1;", "3;"), true],
    ["it is removed", "", true],
    ["another one's lines", text.replace("2;", "3;"), false],
    ["comments", text.replace("return 1;", "// One.\n  return 1; // It is."), false],
    ["layout", text.replace("{\n  return 1;\n}", "{ return 1; }"), false],
    ["its place", `${text.slice(text.indexOf("export function two"))}\n${text}`, false],
  ])("%s: %s", (_, after, expected) => {
    expect(isChanged(text, after, one, "a.ts")).toBe(expected);
  });

  it("not where it was not as it is marked", () => {
    expect(isChanged(text.replace("1;", "4;"), text.replace("1;", "3;"), one, "a.ts")).toBe(false);
  });

  it("by lines behind its last one, where indentation ends it", () => {
    const python = "def one():\n    return 1\n\ndef two():\n    return 2\n";
    const of = mark("def one():\n    return 1", "a.py");
    expect(isChanged(python, python.replace("return 1\n", "return 1\n    print()\n"), of, "a.py")).toBe(true);
    expect(
      isChanged(python, python.replace("return 1\n", "return 1\n\ndef three():\n    print()\n"), of, "a.py"),
    ).toBe(false);
  });
});
