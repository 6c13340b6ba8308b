import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { otherKinds, otherOrigins } from "./base/other-names.ts";
import type { PathRole } from "./code/files/path-role.ts";

/** Every table that is a file of data: programs only type it, so its rows are validated here. */

const text = z.string().min(1);
const texts = z.array(text).min(1);
const pattern = text.refine((source) => compiles(source), "is no regular expression");
const unique = texts.refine((rows) => new Set(rows).size === rows.length, "has a row twice");
const patterns = unique.refine((rows) => rows.every(compiles), "has a row that is no regular expression");
/** What a command is run for, by its words, in the order in which they are looked for. */
const orderedTasks = ["lint", "format", "types", "release", "install", "build", "run"];
const why = text.optional();
/** Dollars for a million tokens. */
const dollars = z.number().nonnegative().max(1000);
const rates = {
  input: dollars,
  output: dollars,
  cacheRead: dollars,
  cacheWrite: dollars.optional(),
  cacheWriteHour: dollars.optional(),
};

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
    annotation: texts,
    namedByArguments: pattern,
    noName: pattern,
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
          implicitInterfaces: z.boolean().optional(),
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
  "code/search/glossary/glossary.json": z.array(
    z.strictObject({
      terms: z.string().regex(/^[a-z\d]+( [a-z\d]+){0,7}$/),
      means: z.string().regex(/^[A-Za-z][\w ,;:'-]{5,140}$/),
    }),
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
  "sessions/decisions/choice.json": z.strictObject({
    words: z.record(text, patterns),
    patterns: z.record(text, pattern),
    settlesInPassing: z.array(z.strictObject({ says: unique, pattern })),
  }),
  "sessions/summaries/ending/not-done.json": z.strictObject({
    says: patterns,
    declines: patterns,
    heads: patterns,
    decides: patterns,
    stores: patterns,
  }),
  "sessions/chunks/units/error-formats.json": z.array(
    z.strictObject({
      tool: text,
      language: text,
      pattern,
      lines: z.array(z.tuple([text, text.nullable()])).min(1),
      quiet: z.array(text).optional(),
      fails: z.boolean().optional(),
      lints: z.literal(true).optional(),
    }),
  ),
  "attribution/commands/commands.json": z.strictObject({
    reads: patterns,
    readsInGit: patterns,
    formats: patterns,
    repairs: patterns,
  }),
  "sessions/commands/commands.json": z.strictObject({
    tasks: z.strictObject(
      Object.fromEntries(orderedTasks.map((task) => [task, patterns])) as Record<string, typeof patterns>,
    ),
    tests: patterns,
    picksTest: patterns,
    packageManagers: patterns,
    notOfTheProject: patterns,
    versionControl: patterns,
    checks: patterns,
    looks: unique,
    looksInGit: patterns,
    calledWrongly: patterns,
    wrappers: z.record(text, z.int().min(0).max(2)),
    runners: unique,
    optionsWithValue: unique,
    interpreters: unique,
    shells: unique,
    longSubcommands: patterns,
    withoutSubcommand: patterns,
    goOptionsWithValue: patterns,
    printsMore: patterns,
  }),
  "sessions/chunks/units/outputs.json": z.strictObject({
    errorWords: patterns,
    allIsWell: patterns,
    failedChecks: patterns,
    testNames: patterns,
    showing: patterns,
    checking: patterns,
  }),
  "sessions/fixes/rules.json": z.strictObject({
    repairs: patterns,
    repairingOptions: unique,
    repairable: patterns,
    changesInGit: unique,
    tellingOptions: unique,
    optionsOfManner: patterns,
    doAnything: unique,
    fileStarts: patterns,
  }),
  "sessions/cost/prices.json": z.array(
    z.strictObject({
      vendor: text,
      source: z.url(),
      asOf: z.iso.date(),
      models: z
        .array(
          z.strictObject({
            model: text.lowercase(),
            until: z.iso.date().optional(),
            ...rates,
            long: z.strictObject({ above: z.int().positive(), ...rates }).optional(),
          }),
        )
        .refine(
          (rows) => rows.every((row, i) => (rows[i + 1]?.model === row.model) === (row.until !== undefined)),
          "a model's rows stand together, and all but the last end",
        ),
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

/** Validated beside their code: more than their fields is to be right, or they go with their feature. */
const elsewhere =
  /^features\/|^redact\/(?:patterns\/|words\.json)|^code\/languages\/grammars\.json|^faces\/page\//;

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
