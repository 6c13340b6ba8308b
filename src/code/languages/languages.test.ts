import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { Language as TreeSitterLanguage } from "web-tree-sitter";
import { grammarDir } from "../../../test/support/chunk-fixture.ts";
import { SourceParser } from "../parse/parser.ts";
import grammars from "./grammars.json" with { type: "json" };
import {
  detectHeaderLanguage,
  detectLanguage,
  detectLanguageOfHeader,
  languageIds,
  languages,
  resolveLanguage,
} from "./index.ts";
import type { Grammar } from "./language.ts";

describe.each(languages)("the table of $title", ({ grammar }) => {
  let known: TreeSitterLanguage;

  beforeAll(async () => {
    known = await new SourceParser(grammarDir).loadLanguage(grammar.wasm);
  });

  test("names only kinds of its grammar", () => {
    expect(kindsIn(grammar).filter((kind) => known.idForNodeType(kind, true) === null)).toEqual([]);
  });

  test("has paths of fields and kinds of its grammar", () => {
    const steps = pathsIn(grammar).flatMap((path) => path.split(" "));
    const isKnown = (step: string) => {
      if (step === ">*") return true;
      if (!step.startsWith(">")) return known.fieldIdForName(step.replace(/\*$/, "")) !== null;
      const kind = step.slice(1);
      return known.idForNodeType(kind, true) !== null || known.idForNodeType(kind, false) !== null;
    };
    expect(steps.filter((step) => !isKnown(step))).toEqual([]);
  });

  test("takes its grammar from the list that is copied", () => {
    expect(Object.keys(grammars)).toContain(grammar.wasm);
  });
});

function kindsIn(grammar: Grammar): string[] {
  const { type = {}, constant = {}, keywords = {}, name = {}, owner = {}, body = {}, expressions } = grammar;
  const tables = [grammar.class, grammar.method, type, constant, keywords, name, owner, body];
  const lists = [grammar.bodied, grammar.wrapper, grammar.transparent, grammar.comment, grammar.attribute];
  const { kinds = [], namedBy = {}, through = [], calls = [] } = expressions ?? {};
  return [
    ...[...tables, namedBy].flatMap((table) => Object.keys(table)),
    ...[...lists, grammar.block, kinds, through, calls].flatMap((list) => list ?? []),
  ];
}

function pathsIn({ name = {}, owner = {}, body = {}, expressions }: Grammar): string[] {
  return [name, owner, body, expressions?.namedBy ?? {}].flatMap((table) => Object.values(table));
}

test("no grammar is copied for nothing", () => {
  const used = new Set(languages.map(({ grammar }) => grammar.wasm));
  expect(Object.keys(grammars).filter((name) => !used.has(name))).toEqual([]);
});

describe("languageOf", () => {
  test.each([
    ["src/app.ts", "typescript"],
    ["src/App.TSX", "tsx"],
    ["a/b.mjs", "javascript"],
    ["types.d.mts", "typescript"],
    ["x.pyi", "python"],
    ["lib/x.hpp", "cpp"],
    ["lib/x.h", "c"],
    ["Gemfile", "ruby"],
    ["Dockerfile", "dockerfile"],
    ["docker/Dockerfile.dev", "dockerfile"],
    ["Makefile", "make"],
    ["README.md", "markdown"],
    ["package.json", "json"],
    ["a.b/noext", "text"],
    [".gitignore", "text"],
    ["weird.xyz", "text"],
  ])("%s is %s", (path, id) => {
    expect(detectLanguage(path)).toBe(id);
  });

  test.each([
    ["#!/bin/sh", "bash"],
    ["#!/usr/bin/env python3", "python"],
    ["#!/usr/bin/env -S python3.12 -u", "python"],
    ["#! /usr/local/bin/node --harmony", "javascript"],
    ["#!/usr/bin/env A=1 ruby\r", "ruby"],
    ["#!/usr/bin/awk -f", "text"],
    ["#!", "text"],
    ["// python", "text"],
  ])("a file without extension that starts with %s is %s", (firstLine, id) => {
    expect(detectLanguage("bin/tool", firstLine)).toBe(id);
  });

  test("answers only ids of the list", () => {
    for (const { extensions } of languages) {
      for (const extension of extensions) expect(languageIds).toContain(detectLanguage(`a.${extension}`));
    }
  });
});

describe("resolveLanguage", () => {
  test.each([
    ["ts", "typescript"],
    ["TypeScript", "typescript"],
    ["py", "python"],
    ["c++", "cpp"],
    ["C++", "cpp"],
    ["c#", "csharp"],
    ["csharp", "csharp"],
    ["cs", "csharp"],
    ["golang", "go"],
    [".rs", "rust"],
    ["sh", "bash"],
    ["md", "markdown"],
    ["yml", "yaml"],
    ["text", "text"],
    ["klingon", null],
    ["", null],
    ["constructor", null],
  ])("%s means %s", (name, id) => {
    expect(resolveLanguage(name)).toBe(id);
  });

  test("every id means itself", () => {
    for (const id of languageIds) expect(resolveLanguage(id)).toBe(id);
  });
});

describe("headerLanguageOf", () => {
  test("is C++ where most sources are", () => {
    expect(detectHeaderLanguage(["a.cc", "b.hpp", "c.c", "d.h", "e.h"])).toBe("cpp");
  });

  test("is C otherwise", () => {
    expect(detectHeaderLanguage(["a.c", "b.c", "c.cpp", "d.h"])).toBe("c");
    expect(detectHeaderLanguage([])).toBe("c");
  });
});

test("docs/languages.md names every language with all its extensions", () => {
  const docs = readFileSync(new URL("../../../docs/languages.md", import.meta.url), "utf8");
  for (const { title, id, extensions } of languages) {
    const row = `| ${title} | \`${id}\` | ${extensions.map((extension) => `.${extension}`).join(" ")}`;
    expect(docs).toContain(row);
  }
});

test.each([
  ["template <typename T> class list;\n", "cpp"],
  ["#pragma once\nnamespace shop {\n}\n", "cpp"],
  ["class Cart final : public Base {\n public:\n};\n", "cpp"],
  ["using std::string;\nusing name = string;\n", "cpp"],
  ['#ifdef __cplusplus\nextern "C" {\n#endif\nstruct cart;\n', "c"],
  ["/* A\n * class of things: public. */\nint class_of(int using);\n", "c"],
])("a header %j is %s where it cannot be told from the other files", (text, language) => {
  expect(detectLanguageOfHeader(text, "c")).toBe(language);
  expect(detectLanguageOfHeader(text, "cpp")).toBe("cpp");
});
