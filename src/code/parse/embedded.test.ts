import fc from "fast-check";
import { expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { extractScripts, parseNotebook } from "./embedded.ts";

const component = [
  "<template>",
  '  <a title="a > b" @click="go">{{ label }}</a>',
  "</template>",
  '<script setup lang="ts">',
  'import { open } from "./open";',
  "function go() { open(); }",
  "</script>",
  "<style>a { color: red }</style>",
].join("\n");

it("keeps the scripts of a component where they stand", () => {
  const scripts = extractScripts("vue", component)!;
  expect(scripts.split("\n")[5]).toBe("function go() { open(); }");
  expect(scripts.replace(/\s+/g, " ").trim()).toBe(
    'import { open } from "./open"; function go() { open(); }',
  );
});

it("takes no data, no template and no empty block for a script, but Astro's front matter", () => {
  expect(
    extractScripts("html", '<script type="application/json">{"a": 1}</script><script src="a.js"></script>'),
  ).toBeNull();
  expect(extractScripts("html", '<script type="module">run()</script>')).toContain("run()");
  expect(extractScripts("astro", "---\nconst a = 1;\n---\n<p>b</p>")).toBe(
    "   \nconst a = 1;\n   \n        ",
  );
});

it("takes what MDX imports and exports, but no example", () => {
  const mdx = [
    "---\ntitle: import it\n---",
    'import { Chart } from "./chart";',
    "",
    "# Title",
    "Then import it.",
    "```js",
    "export const example = 1;",
    "```",
    "export function Total({ of }) {",
    "",
    "  return <b>{sum(of)}</b>;",
    "}",
    "",
    "<Total of={[1]} />",
  ].join("\n");
  const scripts = extractScripts("mdx", mdx)!;
  expect(
    scripts
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
  ).toEqual([
    'import { Chart } from "./chart";',
    "export function Total({ of }) {",
    "return <b>{sum(of)}</b>;",
    "}",
  ]);
  expect(scripts.split("\n")[10]).toBe("export function Total({ of }) {");
  expect(extractScripts("mdx", "# Only text")).toBeNull();
});

it("is as long as the file, whatever that is", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom("<script>", "</script>", "---\n", "\n", '"', "\nexport ", "```\n", "{", "}"),
          fc.string({ unit: anyCharacter }),
        ),
      ),
      (parts) => {
        const text = parts.join("");
        for (const language of ["vue", "astro", "mdx"]) {
          const scripts = extractScripts(language, text);
          if (scripts !== null) expect(scripts.length).toBe(text.length);
        }
      },
    ),
  );
});

it("gives a notebook's code by the lines of its file, without outputs", () => {
  const cells = [
    { cell_type: "markdown", metadata: {}, source: ["Load it\n"] },
    {
      cell_type: "code",
      metadata: {},
      outputs: [{ data: { "image/png": "iVBOR".repeat(100) } }],
      source: ["%matplotlib inline\n", "def load(path):\n", '    return read("a\\n", path)'],
    },
  ];
  const file = JSON.stringify({ cells, metadata: { language_info: { name: "python" } } }, null, 1);
  const { language, text } = parseNotebook(file)!;
  expect(language).toBe("python");
  const lines = text.split("\n");
  expect(lines).toHaveLength(file.split("\n").length);
  const at = file.split("\n").findIndex((line) => line.includes("def load"));
  expect(lines.slice(at, at + 2)).toEqual(["def load(path):", '    return read("a\\n", path)']);
  expect(lines.filter((line) => line.trim() !== "")).toEqual([
    "# Load it",
    "# %matplotlib inline",
    "def load(path):",
    '    return read("a\\n", path)',
  ]);
  expect(parseNotebook('{"nbformat": 4}')).toBeNull();
});

it("gives the code of cells that are one text each, at the line of the file that holds it", () => {
  const cells = [
    { metadata: {}, source: "%time\ndef load(path):\n    return read(path)", cell_type: "code", outputs: [] },
    { cell_type: "markdown", metadata: {}, source: "Look\nat it" },
    { cell_type: "code", metadata: {}, source: ["load(1)\n", "load(2)"] },
  ];
  const file = JSON.stringify({ cells, metadata: {} }, null, 1);
  const lineOf = (text: string) => file.split("\n").findIndex((line) => line.includes(text)) + 1;
  const { text, fileLines } = parseNotebook(file)!;
  const lines = text.split("\n").flatMap((line, i) => (line === "" ? [] : [[line, fileLines![i]]]));
  expect(lines).toEqual([
    ["# %time", lineOf("def load")],
    ["def load(path):", lineOf("def load")],
    ["    return read(path)", lineOf("def load")],
    ["# Look", lineOf("Look")],
    ["# at it", lineOf("Look")],
    ["load(1)", lineOf("load(1)")],
    ["load(2)", lineOf("load(2)")],
  ]);
});
