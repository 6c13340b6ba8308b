import { describe, expect, test } from "vitest";
import { allLevels, chunk, outline, signatures } from "../../../test/support/chunk-fixture.ts";
import type { Level } from "../../base/levels.ts";

const service = `/** Talks to the bank. */
import { post } from "./http";

/** Moves money. */
export class Bank {
  private url = "https://bank";

  /** Sends it. */
  transfer(amount: number): Promise<void> {
    return post(this.url, { amount });
  }
}
`;

function only(...levels: Level[]) {
  return { levels: new Set(levels), withText: false };
}

describe("terms", () => {
  test("the code of a method is in its own chunk only, its signature also in the enclosing ones", async () => {
    const { chunks } = await chunk("src/bank.ts", "typescript", service);
    const [file, bank, transfer] = chunks.map(({ terms }) => terms);
    expect(file).toMatchObject({ name: "bank", head: "talks talk to the bank" });
    expect(String(file!.body).split(" ")).toEqual(
      expect.arrayContaining(["import", "http", "class", "bank"]),
    );
    expect(file!.body).not.toContain("url");
    expect(bank).toMatchObject({ name: "bank", head: "export class bank moves move money monei" });
    expect(bank!.body).toContain("url");
    expect(bank!.body).toContain("amount number");
    expect(bank!.body).not.toContain("post");
    expect(transfer!.name).toBe("transfer");
    expect(transfer!.head).toContain("bank transfer amount number");
    expect(transfer!.head).toContain("sends send it");
    expect(transfer!.body).toContain("post");
    expect(transfer!.body).not.toContain("sends");
  });

  test("the receiver's type belongs to a method's context", async () => {
    const { chunks } = await chunk("e.go", "go", "package e\n\nfunc (e *Engine[T]) Run() {\n}\n");
    expect(chunks[1]!.terms).toMatchObject({ name: "run", head: "engine engin func e engine engin t run" });
  });

  test("a licence does not describe a file", async () => {
    const text = "// Copyright Someone\n// MIT License\n\n// Adds numbers.\n\nfunction add() {}\n";
    const { chunks } = await chunk("add.js", "javascript", text);
    expect(chunks[0]!.terms.head).toBe("adds add numbers number");
  });
});

test("an embedder sees where the code is, its docs and the code", async () => {
  const { chunks } = await chunk("src/bank.ts", "typescript", service);
  expect(chunks[2]!.text).toBe(
    [
      "src/bank.ts > Bank > transfer(amount: number): Promise<void>",
      "/** Sends it. */",
      "transfer(amount: number): Promise<void> {",
      "    return post(this.url, { amount });",
      "  }",
    ].join("\n"),
  );
});

test("without withText there is no text", async () => {
  const { chunks } = await chunk("src/bank.ts", "typescript", service, { ...allLevels, withText: false });
  expect(chunks.map(({ text }) => text)).toEqual(["", "", ""]);
  expect(chunks.map(({ docs }) => docs)).toEqual([[], [], []]);
});

describe("docs", () => {
  test("are quoted as in the file, with their place", async () => {
    const { chunks } = await chunk("src/bank.ts", "typescript", service);
    expect(chunks.map(({ docs }) => docs.map(({ text }) => text))).toEqual([
      ["/** Talks to the bank. */"],
      ["/** Moves money. */"],
      ["/** Sends it. */"],
    ]);
    for (const { start, end, text } of chunks.flatMap(({ docs }) => docs)) {
      expect(service.slice(start, end)).toBe(text);
    }
  });

  test("consecutive line comments are one, a docstring is one of its own", async () => {
    const go = "package a\n\n// Run starts it,\n// and waits.\nfunc Run() {\n}\n";
    const { chunks } = await chunk("a.go", "go", go);
    expect(chunks[1]!.docs.map(({ text }) => text)).toEqual(["// Run starts it,\n// and waits."]);
    const python = '# Careful.\ndef run():\n    """Start it."""\n    return 1\n';
    const run = (await chunk("a.py", "python", python)).chunks[1]!;
    expect(run.docs.map(({ text }) => text)).toEqual(["# Careful.", '"""Start it."""']);
  });
});

test("Elixir's attributes with documentation are docs, of the function below or the module around", async () => {
  const text = [
    "defmodule Shop.Full do",
    "  defexception [:message]",
    "",
    '  @moduledoc """',
    "  Raised for a full cart.",
    '  """',
    "",
    '  @doc "Adds one."',
    "  @spec add(t) :: t",
    "  def add(cart), do: cart",
    "",
    "  @doc false",
    "  def hidden(cart), do: cart",
    "end",
    "",
  ].join("\n");
  const { chunks } = await chunk("full.ex", "elixir", text);
  expect(chunks.slice(1).map(({ name, docs }) => [name, docs.map((doc) => doc.text)])).toEqual([
    ["Full", ['@moduledoc """\n  Raised for a full cart.\n  """']],
    ["add", ['@doc "Adds one."']],
    ["hidden", []],
  ]);
  expect(chunks[1]!.terms.head).toContain("raised");
  expect(chunks[2]!.terms.head).toContain("adds");
  expect(chunks[2]!.terms.body).not.toContain("adds");
  expect(chunks[2]!.terms.body).toContain("spec");
});

describe("levels", () => {
  test("what is left out leaves its code to the chunk around it", async () => {
    const { chunks } = await chunk("src/bank.ts", "typescript", service, only("file", "method"));
    expect(chunks.map(({ level }) => level)).toEqual(["file", "method"]);
    expect(chunks[1]!.parentId).toBe(chunks[0]!.id);
    expect(chunks[0]!.terms.body).toContain("url");
    expect(chunks[0]!.terms.body).not.toContain("post this");
  });

  test("ids do not depend on the levels asked for", async () => {
    const all = await chunk("src/bank.ts", "typescript", service);
    const some = await chunk("src/bank.ts", "typescript", service, only("method"));
    expect(some.chunks.map(({ id, parentId }) => [id, parentId])).toEqual([[all.chunks[2]!.id, null]]);
  });

  test("without file chunks the code that no definition covers is cut by lines", async () => {
    const { chunks } = await chunk("src/bank.ts", "typescript", service, only("class", "lines"));
    expect(chunks.map(({ level, startLine, endLine }) => [level, startLine, endLine])).toEqual([
      ["lines", 2, 2],
      ["class", 4, 12],
    ]);
  });

  test("symbols point at a chunk that is there, or are left out", async () => {
    const { symbols, chunks } = await chunk("src/bank.ts", "typescript", service, only("class"));
    expect(symbols.map(({ name, chunkId }) => [name, chunkId])).toEqual([
      ["Bank", chunks[0]!.id],
      ["transfer", chunks[0]!.id],
    ]);
  });
});

describe("ids", () => {
  test("stay when other code of the file changes", async () => {
    const before = await chunk("src/bank.ts", "typescript", service);
    const after = await chunk(
      "src/bank.ts",
      "typescript",
      `const early = 1;\n\nfunction first() {}\n${service}`,
    );
    const ids = after.chunks.map(({ id }) => id);
    for (const { id } of before.chunks) expect(ids).toContain(id);
  });

  test("differ between equal names and between paths", async () => {
    const text = "function a() {}\nfunction a() {}\n";
    const one = await chunk("one.js", "javascript", text);
    const two = await chunk("two.js", "javascript", text);
    expect(new Set([...one.chunks, ...two.chunks].map(({ id }) => id)).size).toBe(6);
  });
});

describe("long code", () => {
  const statements = (count: number, indent = "  ") =>
    Array.from({ length: count }, (_, i) => `${indent}step(${i});\n`).join("");

  test("a method of 80 lines is one chunk, with everything in it", async () => {
    const text = `function work() {\n  function inner() {\n${statements(70, "    ")}  }\n}\n`;
    const result = await chunk("w.js", "javascript", text);
    expect(outline(result)).toEqual(["method function work 1-74"]);
    expect(result.symbols.map(({ name }) => name)).toEqual(["work", "inner"]);
  });

  test("a longer one is cut between statements, and stays whole itself", async () => {
    const text = `function work() {\n${"  if (ready()) {\n    go();\n    stop();\n  }\n".repeat(30)}}\n`;
    const { chunks } = await chunk("w.js", "javascript", text);
    const blocks = chunks.filter(({ level }) => level === "block");
    const lines = text.split("\n");
    expect(blocks.length).toBeGreaterThan(2);
    for (const { startLine, parentId } of blocks.slice(1)) {
      expect(lines[startLine - 1]).toBe("  if (ready()) {");
      expect(parentId).toBe(chunks[1]!.id);
    }
    expect(
      String(chunks[1]!.terms.body)
        .split(" ")
        .filter((word) => word === "stop"),
    ).toHaveLength(30);
  });

  test("functions nested in a long one have their own chunks, and are only there", async () => {
    const inner = `  function inner() {\n${statements(20, "    ")}    onlyInside();\n  }\n`;
    const { chunks, ...rest } = await chunk(
      "w.js",
      "javascript",
      `function work() {\n${statements(60)}${inner}}\n`,
    );
    expect(outline({ chunks, ...rest })).toEqual([
      "method function work 1-85",
      "  method function inner 62-84",
    ]);
    expect(chunks[1]!.terms.body).not.toContain("onlyinside");
    expect(chunks[2]!.terms.body).toContain("onlyinside");
  });

  test("top-level code is cut between statements", async () => {
    const test = `describe("x", () => {\n${'  it("y", () => {\n    check();\n  });\n'.repeat(40)}});\n`;
    const { chunks } = await chunk("x.test.js", "javascript", test);
    const windows = chunks.filter(({ level }) => level === "lines");
    expect(windows.length).toBeGreaterThan(2);
    for (const { startLine } of windows.slice(1))
      expect(test.split("\n")[startLine - 1]).toBe('  it("y", () => {');
    expect(chunks[0]!.terms.body).not.toContain("check");
  });

  test("a long table has a chunk with its name", async () => {
    const text = `export const colours = {\n${Array.from({ length: 30 }, (_, i) => `  c${i}: ${i},\n`).join("")}};\n`;
    const { chunks, symbols, ...rest } = await chunk("c.ts", "typescript", text);
    expect(outline({ chunks, symbols, ...rest })).toEqual(["lines constant colours 1-32"]);
    expect(symbols).toEqual([{ name: "colours", kind: "constant", line: 1, chunkId: chunks[1]!.id }]);
  });

  test("a long text is cut by lines", async () => {
    const text = Array.from({ length: 100 }, (_, i) => `key${i}: value\n`).join("");
    expect(outline(await chunk("c.yaml", "yaml", text))).toEqual([
      "lines   1-40",
      "lines   36-75",
      "lines   71-100",
    ]);
  });
});

describe("odd files", () => {
  test("an empty one has one chunk", async () => {
    const { chunks, lines } = await chunk("empty.ts", "typescript", "");
    expect(chunks).toMatchObject([{ level: "file", name: "empty", startLine: 1, endLine: 1 }]);
    expect(lines).toBe(1);
  });

  test("Windows line ends change nothing", async () => {
    const unix = await chunk("src/bank.ts", "typescript", service);
    const windows = await chunk("src/bank.ts", "typescript", service.replaceAll("\n", "\r\n"));
    expect(windows.chunks.map(({ text: _, docs: __, ...record }) => record)).toEqual(
      unix.chunks.map(({ text: _, docs: __, ...record }) => record),
    );
  });

  test("after a syntax error the rest is still found", async () => {
    const result = await chunk("b.py", "python", "def broken(:\n    x = 1\n\ndef fine():\n    return 1\n");
    expect(result.hasSyntaxErrors).toBe(true);
    expect(result.symbols.map(({ name }) => name)).toContain("fine");
  });
});

test("signatures are one line without attributes, comments and body", async () => {
  const result = await chunk(
    "A.java",
    "java",
    'class A {\n  @Path("/x")\n  public int  add(int a, // first\n      int b) {\n    return a;\n  }\n}\n',
  );
  expect(signatures(result)).toEqual({ A: "class A", add: "public int add(int a, int b)" });
});

test("MDX has its sections, and what it exports as definitions in them", async () => {
  const code = ["export function Total({ of }) {", "  return <b>{of}</b>;", "}"].join("\n");
  const text = `# Money\n\nText.\n\n${code}\n\n## Use\n\n<Total of={1} />\n`;
  const { chunks, symbols } = await chunk("docs/money.mdx", "mdx", text);
  expect(chunks.map(({ level, name, startLine, endLine }) => [level, name, startLine, endLine])).toEqual([
    ["file", "money", 1, 11],
    ["block", "Money", 1, 11],
    ["method", "Total", 5, 7],
    ["block", "Use", 9, 11],
  ]);
  expect(symbols).toMatchObject([{ name: "Total", line: 5, chunkId: chunks[2]!.id }]);
});
