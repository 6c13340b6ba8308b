import type { Grammar, Language } from "./language.ts";
import data from "./languages.json" with { type: "json" };
import queries from "./references/queries.json" with { type: "json" };
import type { References } from "./references/references.ts";

/** A grammar as languages.json writes it: regular expressions are text, and `noise` has alternatives. */
type GrammarRow = Omit<
  Grammar,
  | "noise"
  | "annotation"
  | "namedByArguments"
  | "noName"
  | "declaration"
  | "opening"
  | "docstring"
  | "docAttributes"
  | "references"
> & {
  why?: string;
  /** Of regular expressions: `{{name}}` in `noise` stands for one. */
  parts?: Record<string, string>;
  noise?: string[][];
  annotation?: string[];
  namedByArguments?: string;
  noName?: string;
  declaration?: string;
  opening?: string;
  docstring?: string;
  docAttributes?: { before: string; inside: string };
  /** Queries of queries.json, one after the other. */
  references?: Omit<References, "query"> & { query: (keyof typeof queries)[] };
};

/** A language of languages.json. With a `base`, its grammar is what differs from that language's (`extend`). */
type LanguageRow = Omit<Language, "grammar"> & { base?: string; grammar: object };

const rows = data as LanguageRow[];

/** The table of languages.json. */
export const readLanguages = (): Language[] =>
  rows.map(({ base: _, ...row }) => ({ ...row, grammar: readGrammar(resolveGrammarRow(row.id)) }));

function resolveGrammarRow(id: string): GrammarRow {
  const { base, grammar } = rows.find((row) => row.id === id)!;
  return (base === undefined ? grammar : extend(resolveGrammarRow(base), grammar)) as GrammarRow;
}

/** Objects have the base's keys as well, except for those that are null; a list that begins with "..." its items. */
function extend(base: unknown, own: unknown): unknown {
  if (Array.isArray(own)) return own[0] === "..." ? [...(base as unknown[]), ...own.slice(1)] : own;
  if (own === null || typeof own !== "object" || base === undefined) return own;
  const merged: Record<string, unknown> = { ...(base as object) };
  for (const [key, value] of Object.entries(own)) {
    if (value === null) delete merged[key];
    else merged[key] = extend(merged[key], value);
  }
  return merged;
}

function readGrammar(row: GrammarRow): Grammar {
  const {
    why: _,
    parts = {},
    noise,
    annotation,
    namedByArguments,
    noName,
    declaration,
    opening,
    docstring,
    docAttributes,
    references,
    ...rest
  } = row;
  const expand = (source: string) => source.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name]!);
  return {
    ...rest,
    ...(noise && { noise: noise.map((either) => new RegExp(expand(either.join("|")), "gm")) }),
    ...(annotation && { annotation: new RegExp(expand(annotation.join("|")), "gm") }),
    ...(namedByArguments && { namedByArguments: new RegExp(namedByArguments) }),
    ...(noName && { noName: new RegExp(noName) }),
    ...(declaration && { declaration: new RegExp(declaration) }),
    ...(opening && { opening: new RegExp(opening) }),
    ...(docstring && { docstring: new RegExp(docstring) }),
    ...(docAttributes && {
      docAttributes: {
        before: new RegExp(docAttributes.before),
        inside: new RegExp(docAttributes.inside),
      },
    }),
    ...(references && {
      references: {
        ...references,
        query: references.query.flatMap((name) => queries[name]).join("\n"),
      },
    }),
  };
}
