import type { Random } from "./random.ts";

/** Names and sentences that code is made of. */

const verbs =
  "load save read write parse build find check update remove merge resolve open close send fetch sort count render track".split(
    " ",
  );
const nouns =
  "user order token config session path index cache buffer node report entry request result line commit branch event queue page account invoice file record".split(
    " ",
  );
const kinds = "next last current pending cached raw default shared local remote total first inner base".split(
  " ",
);
const words =
  "keeps drops retries waits until before after unless because every missing empty stale large slow broken client server network database answer limit order version".split(
    " ",
  );

const cap = (word: string) => word[0]!.toUpperCase() + word.slice(1);
const verb = (r: Random) => r.pick(verbs);
const noun = (r: Random) => r.pick(nouns);
export const identifier = (r: Random) => (r.chance(0.5) ? `${r.pick(kinds)}${cap(noun(r))}` : noun(r));
const method = (r: Random) => `${verb(r)}${r.chance(0.4) ? cap(r.pick(kinds)) : ""}${cap(noun(r))}`;
const snake = (r: Random) => (r.chance(0.5) ? `${r.pick(kinds)}_${noun(r)}` : noun(r));
const snakeMethod = (r: Random) => `${verb(r)}_${r.chance(0.4) ? `${r.pick(kinds)}_` : ""}${noun(r)}`;
export const prose = (r: Random) =>
  `${cap(verb(r))} the ${r.pick(kinds)} ${noun(r)} ${Array.from({ length: r.int(2, 7) }, () => r.pick(words)).join(" ")}.`;
const value = (r: Random) =>
  r.weighted<string>([
    [`${r.int(0, 9)}`, 2],
    [`${r.int(10, 9999)}`, 2],
    ["true", 1],
    ["false", 1],
    [`"${noun(r)}-${r.pick(words)}"`, 3],
    ["null", 1],
  ]);
const args = (r: Random, name: (r: Random) => string) => Array.from({ length: r.int(1, 4) }, () => name(r));
const indented = (lines: readonly string[], by: string) =>
  lines.map((line) => (line === "" ? "" : by + line));
const some = <T>(r: Random, from: number, to: number, make: () => T[]): T[] =>
  Array.from({ length: r.int(from, to) }, make).flat();

/** Code as people and agents write it: much of it resembles other code, and many lines are everywhere. */
export interface Language {
  name: string;
  extension: string;
  /** Between two pieces at the top of a file. */
  separator: string[];
  head(random: Random): string[];
  /** A function, a paragraph, an entry: a top-level part of a file. */
  piece(random: Random): string[];
  /** Possible lines inside of a piece, without indentation. */
  statements(random: Random): string[];
  /** Lines that are possible anywhere in such files. */
  common: string[];
}

const typescript: Language = {
  name: "typescript",
  extension: "ts",
  separator: [""],
  head: (r) => some(r, 1, 4, () => [`import { ${method(r)} } from "./${noun(r)}.ts";`]),
  piece(r) {
    const body = some(r, 2, 7, () => typescript.statements(r));
    const doc = r.chance(0.4) ? [`/** ${prose(r)} */`] : [];
    return [
      ...doc,
      `${r.chance(0.6) ? "export " : ""}function ${method(r)}(${args(r, (x) => `${identifier(x)}: string`).join(", ")}) {`,
      ...indented(body, "  "),
      ...(r.chance(0.6) ? [`  return ${identifier(r)};`] : []),
      "}",
    ];
  },
  statements: (r) =>
    r.weighted<() => string[]>([
      [() => [`const ${identifier(r)} = ${method(r)}(${args(r, identifier).join(", ")});`], 6],
      [() => [`${identifier(r)}.${method(r)}(${args(r, value).join(", ")});`], 3],
      [() => [`if (!${identifier(r)}) return;`], 1],
      [() => [`if (${identifier(r)} === ${value(r)}) {`, `  ${method(r)}(${identifier(r)});`, "}"], 2],
      [() => [`for (const ${noun(r)} of ${identifier(r)}) {`, `  ${method(r)}(${noun(r)});`, "}"], 1],
      [() => [`// ${prose(r)}`], 1],
      [() => [`const ${identifier(r)} = { ${identifier(r)}, ${identifier(r)}: ${value(r)} };`], 1],
    ])(),
  common: ["}", "return;", "});", "return null;", "} else {", "break;", "return result;"],
};

const go: Language = {
  name: "go",
  extension: "go",
  separator: [""],
  head: (r) => [
    `package ${noun(r)}`,
    "",
    "import (",
    '\t"context"',
    '\t"fmt"',
    ...(r.chance(0.5) ? ['\t"strings"'] : []),
    ")",
  ],
  piece(r) {
    const body = some(r, 2, 6, () => go.statements(r));
    return [
      ...(r.chance(0.5) ? [`// ${prose(r)}`] : []),
      `func ${cap(method(r))}(ctx context.Context, ${args(r, (x) => `${identifier(x)} string`).join(", ")}) error {`,
      ...indented(body, "\t"),
      "\treturn nil",
      "}",
    ];
  },
  statements: (r) =>
    r.weighted<() => string[]>([
      [
        () => [
          `${identifier(r)}, err := ${noun(r)}.${cap(method(r))}(ctx, ${args(r, identifier).join(", ")})`,
          "if err != nil {",
          "\treturn err",
          "}",
        ],
        5,
      ],
      [() => [`${identifier(r)} := ${method(r)}(${args(r, identifier).join(", ")})`], 4],
      [() => ["if err != nil {", `\treturn fmt.Errorf("${verb(r)} ${noun(r)}: %w", err)`, "}"], 3],
      [() => [`for _, ${noun(r)} := range ${identifier(r)} {`, `\t${method(r)}(${noun(r)})`, "}"], 2],
      [() => [`// ${prose(r)}`], 1],
      [() => [`defer ${identifier(r)}.Close()`], 1],
    ])(),
  common: ["}", "return nil", "if err != nil {", "return err", ")", "continue"],
};

const python: Language = {
  name: "python",
  extension: "py",
  separator: ["", ""],
  head: (r) => [...some(r, 1, 3, () => [`from ${noun(r)} import ${snakeMethod(r)}`]), "import os"],
  piece(r) {
    const body = some(r, 2, 7, () => python.statements(r));
    return [
      `def ${snakeMethod(r)}(${args(r, snake).join(", ")}):`,
      ...(r.chance(0.5) ? [`    """${prose(r)}"""`] : []),
      ...indented(body, "    "),
      `    return ${r.chance(0.5) ? snake(r) : "None"}`,
    ];
  },
  statements: (r) =>
    r.weighted<() => string[]>([
      [() => [`${snake(r)} = ${snakeMethod(r)}(${args(r, snake).join(", ")})`], 6],
      [() => [`if ${snake(r)} is None:`, "    return None"], 2],
      [() => [`for ${noun(r)} in ${snake(r)}:`, `    ${snakeMethod(r)}(${noun(r)})`], 2],
      [() => ["try:", `    ${snakeMethod(r)}(${snake(r)})`, "except ValueError:", "    pass"], 1],
      [() => [`# ${prose(r)}`], 1],
      [() => [`${snake(r)} = '${r.pick(words)} ${noun(r)}'`], 1],
    ])(),
  common: ["return None", "pass", "else:", "try:", "continue", "return result"],
};

const java: Language = {
  name: "java",
  extension: "java",
  separator: [""],
  head: (r) => [
    `package com.example.${noun(r)};`,
    "",
    "import java.util.List;",
    `import com.example.${noun(r)}.${cap(noun(r))};`,
  ],
  piece(r) {
    const body = some(r, 2, 6, () => java.statements(r));
    return [
      ...(r.chance(0.3) ? ["    @Override"] : []),
      `    public ${r.pick(["void", "String", "int", "List<String>"])} ${method(r)}(${args(r, (x) => `String ${identifier(x)}`).join(", ")}) {`,
      ...indented(body, "        "),
      ...(r.chance(0.6) ? [`        return ${identifier(r)};`] : []),
      "    }",
    ];
  },
  statements: (r) =>
    r.weighted<() => string[]>([
      [
        () => [`String ${identifier(r)} = ${identifier(r)}.${method(r)}(${args(r, identifier).join(", ")});`],
        6,
      ],
      [() => [`${method(r)}(${args(r, value).join(", ")});`], 3],
      [() => [`if (${identifier(r)} == null) {`, "    return null;", "}"], 2],
      [() => [`// ${prose(r)}`], 1],
    ])(),
  common: ["}", "return null;", "@Override", "} else {", "return this;"],
};

const markdown: Language = {
  name: "markdown",
  extension: "md",
  separator: [""],
  head: (r) => [`# ${cap(r.pick(kinds))} ${noun(r)}`],
  piece: (r) =>
    r.chance(0.5)
      ? [`## ${cap(verb(r))} the ${noun(r)}`, "", ...some(r, 1, 4, () => [`${prose(r)} ${prose(r)}`])]
      : some(r, 2, 6, () => [`- ${prose(r)}`]),
  statements: (r) => [`${r.chance(0.4) ? "- " : ""}${prose(r)}`],
  common: ["```", "---", "```console", "## Notes", "## Usage"],
};

const json: Language = {
  name: "json",
  extension: "json",
  separator: [],
  head: (r) => ["{", `  "name": "${noun(r)}-${noun(r)}",`],
  piece: (r) => [
    `  "${identifier(r)}${r.int(1, 99)}": {`,
    ...indented(
      some(r, 1, 5, () => json.statements(r)),
      "    ",
    ),
    '    "enabled": true',
    "  },",
  ],
  statements: (r) => [`"${identifier(r)}": ${value(r)},`],
  common: ["},", "}", "],", '"enabled": true', '"enabled": false,'],
};

const yaml: Language = {
  name: "yaml",
  extension: "yaml",
  separator: [],
  head: (r) => [`name: ${noun(r)}`, "on:", "  push:", "jobs:"],
  piece: (r) => [
    `  ${snakeMethod(r)}:`,
    "    runs-on: ubuntu-latest",
    "    steps:",
    ...indented(
      some(r, 1, 4, () => yaml.statements(r)),
      "      ",
    ),
  ],
  statements: (r) => [
    `- name: ${cap(verb(r))} the ${noun(r)}`,
    `  run: ${verb(r)} --${noun(r)} ${r.int(1, 99)}`,
  ],
  common: ["steps:", "runs-on: ubuntu-latest", "- uses: actions/checkout@v4", "env:"],
};

/** Cells, one value a line, as notebooks are stored. */
const notebook: Language = {
  name: "notebook",
  extension: "ipynb",
  separator: [],
  head: () => [],
  piece: () => [],
  statements: (r) => python.statements(r),
  common: ["import pandas as pd", "df.head()", "plt.show()"],
};

export const languages: readonly Language[] = [typescript, go, python, java, markdown, json, yaml];
const byExtension = new Map([...languages, notebook].map((language) => [language.extension, language]));

export function languageOf(path: string): Language {
  return byExtension.get(path.split(".").at(-1)!) ?? markdown;
}

export function newPath(r: Random, language: Language): string {
  const dir = language.name === "markdown" ? "docs" : r.pick(["src", "src/core", "src/api", "lib", "test"]);
  return `${dir}/${r.pick(kinds)}_${noun(r)}${r.int(1, 99)}.${language.extension}`;
}

/** A whole file of about this many pieces. */
export function newFile(r: Random, language: Language, pieces: number): string[] {
  const lines = language.head(r);
  for (let i = 0; i < pieces; i++) lines.push(...language.separator, ...language.piece(r));
  return language.name === "json" ? [...lines, '  "version": 1', "}"] : lines;
}

export const newIdentifier = (r: Random) => `${identifier(r)}${cap(noun(r))}`;
