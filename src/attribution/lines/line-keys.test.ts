import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choosePlainLineReader, computeLineKey, stripFormatting, toBareLine } from "./line-keys.ts";

const blank = fc.stringMatching(/^[ \t]{0,6}$/);
const token = fc.stringMatching(/^[a-zA-Z0-9_+.(){}[\]=<>'"-]{1,9}$/);
const tokens = fc.array(token, { minLength: 1, maxLength: 8 });

describe("a line's key", () => {
  it("stays when a formatter indents, spaces, ends or quotes the line otherwise", () => {
    fc.assert(
      fc.property(
        tokens,
        fc.array(blank),
        blank,
        blank,
        fc.constantFrom("", ";", ",", ";;"),
        (said, ...how) => {
          const [between, before, after, end] = how;
          const formatted = said.map((each, i) => each.replaceAll("'", '"') + (between[i] ?? "")).join("");
          expect(computeLineKey(`${before}${formatted}${after}${end}${before}\r`)).toBe(
            computeLineKey(said.join(" ")),
          );
        },
      ),
    );
  });

  it("is another one for another line, and none but for a blank one", () => {
    fc.assert(
      fc.property(tokens, tokens, (one, other) => {
        const [a, b] = [one.join(""), other.join("")];
        fc.pre(stripFormatting(a) !== stripFormatting(b));
        expect(computeLineKey(a)).not.toBe(computeLineKey(b));
        expect(computeLineKey(a)).toBeGreaterThan(0);
        expect(computeLineKey(a)).toBeLessThan(2 ** 32);
        expect(Number.isInteger(computeLineKey(a))).toBe(true);
      }),
    );
    for (const text of ["", "   ", "\t\r", ";", " , "]) expect(computeLineKey(text)).toBe(0);
  });

  it.each([
    ["return a;", "return b;"],
    ["call(a, b)", "call(b, a)"],
    ["if (a) {", "if (!a) {"],
    ["const a = 1", "let a = 1"],
    ["f(a);", "f(a;)"],
    ["x", "X"],
    ["a, b", "a; b"],
    ["ä", "a"],
  ])("distinguishes %j from %j", (one, other) => {
    expect(computeLineKey(one)).not.toBe(computeLineKey(other));
  });

  it.each([
    ["const a = 'x';", 'const a = "x"'],
    ["const a = `x`", "const a='x'"],
    ["\tfoo( a,b ),", "  foo(a, b)"],
    ["import { a } from 'b';\r", 'import {a} from "b"'],
  ])("is the same for %j and %j", (one, other) => {
    expect(computeLineKey(one)).toBe(computeLineKey(other));
  });

  it("comes with the line as it is compared", () => {
    expect(toBareLine("  a = 'b';")).toMatchObject({ key: computeLineKey("a='b'"), bare: 'a="b"' });
  });
});

describe("a line's weight", () => {
  it("is next to nothing for lines that every file has, and full for distinctive ones", () => {
    const weightOf = (text: string) => toBareLine(text).weight;
    for (const text of ["}", "});", "{", "*/", "//", "# -", "/**", " * {", "- }"])
      expect(weightOf(text), text).toBeLessThan(0.15);
    for (const text of ["else", "try {", "// a", "end"]) expect(weightOf(text), text).toBeLessThan(0.5);
    expect(weightOf("const total = sum(items.map(priceOf));")).toBe(1);
  });

  it("never falls when a line gets longer", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,30}$/), fc.stringMatching(/^[a-z]{1,10}$/), (text, more) => {
        expect(toBareLine(text + more).weight).toBeGreaterThanOrEqual(toBareLine(text).weight);
      }),
    );
  });
});

describe("of a notebook", () => {
  const plain = choosePlainLineReader("a/b.ipynb");

  it("a source line has the text of its JSON string", () => {
    fc.assert(
      fc.property(
        fc.string(),
        blank,
        fc.constantFrom("", ","),
        fc.constantFrom("", "\n"),
        (said, indent, comma, end) => {
          fc.pre(!said.includes("\n"));
          expect(plain(`${indent}${JSON.stringify(said + end)}${comma}`)).toBe(said);
        },
      ),
    );
    expect(computeLineKey(plain('    "print(\\"a\\")\\n",'))).toBe(computeLineKey("print('a')"));
  });

  it.each([
    "]",
    " },",
    '"cell_type": "code",',
    '   "source": [',
    '  "execution_count": 3,',
    '"metadata": {},',
  ])("its own structure is blank: %j", (line) => {
    expect(computeLineKey(plain(line))).toBe(0);
  });

  it.each(['"open', '"bad \\x escape"', "print(1)"])("%j stays as it is", (line) => {
    expect(plain(line)).toBe(line);
  });

  it("a cell that is one text has all of it", () => {
    expect(plain('   "source": "a = 1\\nb = \\"x\\"",')).toBe('a = 1\nb = "x"');
  });

  it("only its lines are JSON texts", () => {
    expect(choosePlainLineReader("a.py")('"a\\n",')).toBe('"a\\n",');
  });
});
