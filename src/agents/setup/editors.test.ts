import fc from "fast-check";
import { stripComments } from "jsonc-parser";
import { stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { setups } from "../registry.ts";
import type { PartEditor, SetupTarget } from "../setup.ts";
import { applyEdit } from "./json-edit.ts";

/** Adds a part, and removes it with and without the recorded edits. */
function roundTrip(editor: PartEditor, text: string) {
  if (editor.look(text, "file").state !== "absent") return;
  const { text: added, undo, empty } = editor.add(text, "file");
  expect(editor.look(added, "file")).toEqual({ state: "current", detail: [] });
  expect(undo.reduce(applyEdit, added)).toBe(text);
  const removed = editor.remove(added, "file", empty);
  expect(editor.look(removed, "file").state).toBe("absent");
  return removed;
}

const place: SetupTarget = {
  scope: "project",
  dir: "/p",
  recordFile: "/p/setup.json",
  env: { HOME: "/nowhere" },
};
const editorsOf = (...names: string[]) =>
  setups.flatMap(({ agent, parts }) =>
    parts
      .filter((part) => names.includes(part.name))
      .map((part) => [`${agent} ${part.name}`, part.chooseEditor(place, "/p/file")] as const),
  );
const isToml = (editor: PartEditor) => editor.isBlank("{}") === false;
const settingsEditors = editorsOf("hooks", "mcp", "permissions").filter(([, editor]) => !editor.ownsFile);

describe("any JSON", () => {
  const server = fc.record({ command: fc.string(), args: fc.array(fc.string()) }, { requiredKeys: [] });
  const settings = fc.record(
    {
      model: fc.string(),
      mcpServers: fc.dictionary(fc.string(), server, { maxKeys: 2 }),
      permissions: fc.record({ allow: fc.array(fc.string()), deny: fc.jsonValue() }, { requiredKeys: [] }),
      hooks: fc.dictionary(fc.string(), fc.constant([]), { maxKeys: 2 }),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const layout = fc.constantFrom<(value: unknown) => string>(
    (value) => JSON.stringify(value),
    (value) => `${JSON.stringify(value, null, 2)}\n`,
    (value) => `\n${JSON.stringify(value, null, "\t")}\n\n`,
    (value) => JSON.stringify(value, null, 4).replaceAll("\n", "\r\n"),
    (value) => JSON.stringify(value, null, 1).replaceAll("\n", " "),
  );

  it.each(settingsEditors.filter(([, editor]) => !isToml(editor)))(
    "holds %s and is the same without",
    (_, editor) => {
      fc.assert(
        fc.property(settings, layout, (value, write) => {
          const text = write(value);
          const removed = roundTrip(editor, text);
          if (removed !== undefined) expect(removed).toBe(text);
        }),
      );
    },
  );

  const comments = ["", " // it's {", " /* , */", "\n// [of its own]", " /* 1 */ // }"];
  it.each(settingsEditors.filter(([name]) => /^(?:gemini|opencode|qwen)/.test(name)))(
    "keeps its comments when %s is added and removed",
    (_, editor) => {
      const chosen = fc.array(fc.constantFrom(...comments), { minLength: 5, maxLength: 40 });
      fc.assert(
        fc.property(settings, chosen, (value, says) => {
          const lines = JSON.stringify(value, null, 2).split("\n");
          const text = `${lines.map((line, at) => line + says[at % says.length]!).join("\n")}\n`;
          const removed = roundTrip(editor, text);
          if (removed === undefined) return;
          expect(JSON.parse(stripComments(removed))).toEqual(JSON.parse(stripComments(text)));
          expect(removed.match(/\/[/*].*/g)).toEqual(text.match(/\/[/*].*/g));
        }),
      );
    },
  );

  it("leaves comments in place", () => {
    const [, editor] = settingsEditors.find(([name]) => name === "gemini mcp")!;
    const text = '{\n  // Mine.\n  "mcpServers": {\n    "a": {} // of a\n  }\n}\n';
    const { text: added } = editor.add(text, "file");
    expect(added).toContain('    "a": {}, // of a\n    "pommel": {\n');
    const later = added
      .replace('"a": {}, // of a', '"a": {}, // of a\n    // of the bird')
      .replace("  }\n}\n", '  /* x */}, // all\n  "ui": 1\n}\n');
    expect(editor.remove(later, "file", [])).toBe(
      '{\n  // Mine.\n  "mcpServers": {\n    "a": {} // of a\n    // of the bird\n  /* x */}, // all\n  "ui": 1\n}\n',
    );
  });
});

describe("any TOML", () => {
  const name = fc.constantFrom("a", "model", "mcp_servers", "with space", "pommels", "b.c");
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer()));
  const table = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });
  const document = fc
    .tuple(
      table,
      fc.dictionary(
        name,
        fc.oneof(table, fc.dictionary(name, table, { maxKeys: 2, noNullPrototype: true })),
        {
          maxKeys: 3,
          noNullPrototype: true,
        },
      ),
    )
    .map(([values, tables]) => ({ ...values, ...tables }))
    .filter(
      ({ mcp_servers: servers }) =>
        servers === undefined || (typeof servers === "object" && !Array.isArray(servers)),
    );
  const layout = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.trimEnd(),
    (text) => `# on top\n\n${text}\n# below\n`,
    (text) => text.replaceAll("\n", "\r\n"),
  );

  it.each(settingsEditors.filter(([, editor]) => isToml(editor)))(
    "holds %s and is the same without",
    (_, editor) => {
      fc.assert(
        fc.property(document, layout, (value, write) => {
          const text = write(stringify(value));
          const removed = roundTrip(editor, text);
          // A missing final line break stays added if it was not recorded.
          if (removed !== undefined) expect([text, `${text}\n`, `${text}\r\n`]).toContain(removed);
        }),
      );
    },
  );
});

describe("any text", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("", "# Rules", "<!-- a comment -->", "<!-- pommel:begin", "pommel:end -->", "```"),
  );
  const text = fc.tuple(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n", "\n\n\n"));

  it.each(editorsOf("instructions"))("holds %s and is the same without", (_, editor) => {
    fc.assert(
      fc.property(text, ([lines, eol, end]) => {
        const whole = lines.join(eol) + end;
        const removed = roundTrip(editor, whole);
        if (removed !== undefined) expect([whole, `${whole}\n`, `${whole}\r\n`]).toContain(removed);
      }),
    );
  });
});
