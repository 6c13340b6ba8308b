import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { otherKinds, otherOrigins } from "./base/other-names.ts";
import type { PathRole } from "./code/files/path-role.ts";

/** Every table that is a file of data: programs only type it, so its rows are validated here. */

const text = z.string().min(1);
const texts = z.array(text).min(1);
const pattern = text.refine((source) => compiles(source), "is no regular expression");
const why = text.optional();

/** What a grammar's row may have; with a `base`, null takes a key away. */
const words = z.record(text, text);
const grammar = z
  .strictObject({
    why,
    class: words,
    method: words,
    type: words,
    constant: words,
    keywords: z.record(text, z.record(text, z.tuple([z.enum(["class", "method"]), text]))),
    bodied: texts,
    name: words,
    owner: words,
    body: words,
    expressions: z
      .strictObject({
        kinds: texts,
        namedBy: z.record(text, text.nullable()),
        through: z.array(text),
        calls: texts,
      })
      .partial(),
    wrapper: texts,
    transparent: texts,
    parts: z.record(text, pattern),
    noise: z.array(texts),
    declaration: pattern,
    opening: pattern,
    comment: texts,
    attribute: texts,
    docAttributes: z.strictObject({ before: pattern, inside: pattern }),
    docstring: pattern,
    returns: words,
    references: z
      .strictObject({
        query: texts,
        self: texts,
        handsOn: texts,
        modules: z.strictObject({
          style: z.enum(["path", "dotted", "directory", "crate"]),
          extensions: texts,
          index: texts.optional(),
          sharesDirectory: z.boolean().optional(),
          implicitSelf: z.boolean().optional(),
        }),
      })
      .partial(),
    block: texts,
  })
  .partial()
  .extend({ wasm: text });
const language = z.strictObject({
  id: text,
  title: text,
  aliases: texts.optional(),
  extensions: texts,
  filenames: texts.optional(),
  interpreters: texts.optional(),
  grammar: grammar.required({ class: true, method: true, comment: true, block: true }),
});

const schemas: Record<string, z.ZodType> = {
  "attribution/commands/generators.json": z.strictObject({
    generators: z.array(
      z.strictObject({
        command: pattern,
        flags: z.literal("i").optional(),
        files: pattern.optional(),
        writes: z.enum(["such", "new", "any"]),
        why,
      }),
    ),
    managers: z.array(
      z.strictObject({
        command: pattern,
        flags: z.literal("m").optional(),
        manifest: pattern.optional(),
        lock: pattern,
      }),
    ),
  }),
  "attribution/foreign/signatures.json": z.array(
    z.strictObject({ tool: text, email: pattern, name: pattern.optional() }),
  ),
  "code/files/generated-names.json": z.strictObject({
    lockFiles: z.array(text.lowercase()),
    patterns: z.array(pattern),
  }),
  "code/files/known-files.json": z.array(z.strictObject({ path: pattern, holds: text.lowercase() })),
  "code/languages/languages.json": z
    .array(z.union([language, language.extend({ base: text, grammar })]))
    .refine((rows) => {
      const ids = rows.map(({ id }) => id);
      return rows.every((row) => !("base" in row) || ids.includes(row.base));
    }, "a base is one of the languages"),
  "code/languages/references/queries.json": z.record(text, z.array(z.string())),
  "code/languages/text-formats.json": z.strictObject({
    extensions: z.record(text, texts),
    scriptHosts: words,
    filenames: z.record(text.lowercase(), text),
    aliases: z.record(text.lowercase(), text),
  }),
  "code/files/vendored.json": z.strictObject({
    always: texts,
    besides: z.record(text, texts),
    marks: texts,
  }),
  "base/other-names.json": z
    .strictObject({
      notes: z.record(text, z.string().regex(/^[A-Z].*\.$/)),
      rows: z.array(
        z.strictObject({
          from: z.enum(Object.keys(otherOrigins)),
          kind: z.enum(otherKinds),
          name: text,
          today: z.array(text),
          note: text.optional(),
        }),
      ),
    })
    .refine(
      ({ notes, rows }) =>
        isSameSet(
          Object.keys(notes),
          rows.flatMap(({ note }) => note ?? []),
        ),
      "a row's note is one of the notes, and each is used",
    ),
  "redact/names.json": z.array(
    z.strictObject({
      name: pattern,
      kind: z.enum(["password", "token", "code", "phrase", "pair"]),
      type: z.string().regex(/^[A-Z_]+$/),
    }),
  ),
  "code/search/abbreviations.json": z.record(
    z.string().regex(/^[a-z]+$/),
    z.string().regex(/^[a-z]+( [a-z]+)*$/),
  ),
  "code/files/path-roles.json": z.array(
    z.strictObject({
      role: z.enum([
        "test",
        "example",
        "changelog",
        "docs",
        "legacy",
        "generated",
        "built",
        "barrel",
        "types",
      ] satisfies PathRole[]),
      path: pattern,
      askedForBy: z.array(z.string().regex(/^[a-z]+$/)),
    }),
  ),
  "sessions/chunks/units/error-formats.json": z.array(
    z.strictObject({
      tool: text,
      language: text,
      pattern,
      lines: z.array(z.tuple([text, text.nullable()])).min(1),
      quiet: z.array(text).optional(),
      fails: z.boolean().optional(),
    }),
  ),
  "sessions/decisions/other-languages.json": z.record(
    text,
    z.strictObject({
      isUnspaced: z.boolean().optional(),
      marker: pattern,
      declared: pattern,
      adopting: pattern,
      contrast: pattern,
      reason: pattern,
      open: pattern,
    }),
  ),
  "sessions/events/branch-kinds.json": z.array(text.lowercase()),
};

/** Validated beside their code, as more than their fields is to be right. */
const elsewhere = /^redact\/(?:patterns\/|words\.json)|^code\/languages\/grammars\.json|^faces\/page\//;

function compiles(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify([...new Set(some)].sort()) === JSON.stringify([...new Set(others)].sort());
}

describe("files of data", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".json") && !elsewhere.test(file));

  it("each have a schema", () => {
    expect(files.sort()).toEqual(Object.keys(schemas).sort());
  });

  it.each(Object.entries(schemas))("%s has rows of the known fields", (file, schema) => {
    const rows = JSON.parse(readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
    expect(schema.safeParse(rows).error?.issues).toBeUndefined();
  });
});
