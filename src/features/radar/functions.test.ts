import { afterAll, expect, it } from "vitest";
import { closeFunctions, compareFunctions, findCounterpart, findFunctions } from "./functions.ts";

afterAll(closeFunctions);

async function compare(path: string, before: string, now: string) {
  const changed = compareFunctions(await findFunctions(path, before), await findFunctions(path, now));
  return changed.map(
    ({ what, now: { name }, isSignatureChanged }) =>
      `${what} ${name}${isSignatureChanged ? " signature" : ""}`,
  );
}

const typescript = `
export function parse(text: string): Node {
  const lines = text.split("\\n");
  return build(lines);
}
class Parser {
  parse() {
    return parse(this.text);
  }
}
`;

it.each([
  ["comments and layout", (text: string) => text.replace("return build", "// Now.\n\n    return  build"), []],
  ["a body", (text: string) => text.replace("build(lines)", "build(lines, 1)"), ["changed parse"]],
  [
    "a signature",
    (text: string) => text.replace("text: string", "text: string, strict = false"),
    ["changed parse signature"],
  ],
  ["a method", (text: string) => text.replace("this.text", "this.source"), ["changed Parser.parse"]],
  ["a new one", (text: string) => `${text}function other() {\n  return 1;\n}\n`, ["added other"]],
  ["one less", (text: string) => text.slice(text.indexOf("class")), ["removed parse signature"]],
  [
    "one in the middle of being written",
    (text: string) => text.replace("return parse(this.text);\n  }\n}", "return parse((("),
    [],
  ],
])("finds what differs: %s", async (_, change, expected) => {
  expect(await compare("a.ts", typescript, change(typescript))).toEqual(expected);
});

it("knows methods of other types apart, and leaves alone what has several of one name", async () => {
  const go =
    "package a\n\nfunc (a *A) Run() int {\n\treturn 1\n}\n\nfunc (b *B) Run() int {\n\treturn 2\n}\n";
  expect(await compare("a.go", go, go.replace("return 2", "return 3"))).toEqual(["changed B.Run"]);
  const java = "class A {\n  int f(int a) {\n    return a;\n  }\n  int f(long a) {\n    return 2;\n  }\n}\n";
  expect(await compare("A.java", java, java.replace("return 2", "return 3"))).toEqual(["changed A.f"]);
  expect(await compare("A.java", java, java.replaceAll("return", "return 1 +"))).toEqual([]);
});

it("finds an overloaded function in another version by its signature", async () => {
  const java = "class A {\n  int f(int a) {\n    return a;\n  }\n  int f(long a) {\n    return 2;\n  }\n}\n";
  const { functions } = await findFunctions("A.java", java);
  const find = async (now: string) => {
    const [change] = compareFunctions(
      { functions, hasSyntaxErrors: false },
      await findFunctions("A.java", now),
    );
    return findCounterpart(change!, functions)?.signature;
  };
  expect(await find(java.replace("return 2", "return 3"))).toContain("long a");
  expect(await find(java.replace("long a", "long a, int b"))).toContain("long a");
  const [change] = compareFunctions(
    { functions: [], hasSyntaxErrors: false },
    await findFunctions("A.java", "class A {\n  int f(char a) {\n    return 1;\n  }\n}\n"),
  );
  expect(findCounterpart(change!, functions)).toBeNull();
});

it("tells a function from the one around it", async () => {
  const outer = (inner: string) => `def outer():\n    def inner():\n        ${inner}\n    return inner\n`;
  const long = (inner: string) =>
    outer(inner).replace("    return inner", `${"    step()\n".repeat(80)}    return inner`);
  const grow = (inner: string) => `${"x = 1\n        ".repeat(12)}${inner}`;
  expect(await compare("a.py", outer("return 1"), outer("return 2"))).toEqual(["changed outer"]);
  expect(await compare("a.py", long(grow("return 1")), long(grow("return 2")))).toEqual([
    "changed outer.inner",
  ]);
});
