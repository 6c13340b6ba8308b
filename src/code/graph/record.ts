import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type EdgeKind, edgeKinds } from "../../protocol/values.ts";
import type { Expression } from "./expression.ts";

/**
 * What a file defines, imports and refers to, as the index keeps it. Where a name leads is found out when somebody asks
 * (docs/decisions/0020-edges-are-resolved-when-asked-for.md).
 */
export interface FileGraph {
  /** In document order: what encloses comes before what it holds. */
  definitions: GraphDefinition[];
  fields: TypeMember[];
  imports: Import[];
  exports: Export[];
  references: GraphReference[];
}

/** What a definition is good for: to be called, to have members, to hold a value. */
type DefinitionLevel = "class" | "method" | "type" | "constant";

export interface GraphDefinition {
  name: string;
  kind: string;
  level: DefinitionLevel;
  /** 1-based, inclusive. `line` is that of the declaration, after its comments. */
  line: number;
  endLine: number;
  /** The place of what encloses it in `definitions`; -1: the file. */
  parent: number;
  /**
   * The type that it belongs to where that is written apart (`func (e *Engine) Run`), or `objectOwner`; "" else.
   */
  owner: string;
  /** What a function returns, or what a constant is; null: unknown. */
  value: Expression | null;
}

/** A member of a type that is no definition of its own: a variable, or a method without a body. */
export interface TypeMember {
  /** The place of its type in `definitions`. */
  of: number;
  name: string;
  value: Expression | null;
  line: number;
  isMethod: boolean;
}

export interface Import {
  /** What the file calls it; "*" for all names of the module. */
  local: string;
  /** As the file writes it. */
  from: string;
  /** What the module calls it; "*" for the module itself, "default" for what has no name. */
  name: string;
}

/** A name under which the file offers what it defines, or what another module does. */
export interface Export {
  /** "*" for all names of the module. */
  as: string;
  /** "" for the file itself. */
  from: string;
  name: string;
}

export interface GraphReference {
  name: string;
  kind: EdgeKind;
  /** The place of the innermost definition around it in `definitions`; -1: the file. */
  within: number;
  /** What the name is a member of; null: of nothing, "?": of something unknown. */
  on: Expression | null;
  /** 1-based, ascending. */
  lines: number[];
}

export const unknownExpression: Expression = "?";
/** Owns the members of an object that is written out: no type has this name. */
export const objectOwner = "{}";

type PackedRow = (string | number | null)[];
const levelNames: readonly DefinitionLevel[] = ["class", "method", "type", "constant"];

/** For the index. Rows instead of objects: keys would be half of it. */
export function encodeGraph({ definitions, fields, imports, exports, references }: FileGraph): Uint8Array {
  const rows: PackedRow[][] = [
    definitions.map(({ name, kind, level, line, endLine, parent, owner, value }) => [
      name,
      kind,
      levelNames.indexOf(level),
      line,
      endLine - line,
      parent,
      ...(owner !== "" || value !== null ? [value, owner] : []),
    ]),
    fields.map(({ of, name, value, line, isMethod }) => [of, name, value, line, isMethod ? 1 : 0]),
    imports.map(({ local, from, name }) => (local === name ? [from, name] : [from, name, local])),
    exports.map(({ as, from, name }) => [as, from, name]),
    references.map(({ name, kind, within, on, lines }) => [
      name,
      edgeKinds.indexOf(kind),
      within,
      on,
      ...lines.map((line, i) => line - (lines[i - 1] ?? 0)),
    ]),
  ];
  return deflateRawSync(JSON.stringify(rows), { level: 1 });
}

export function decodeGraph(data: Uint8Array): FileGraph {
  const rows = JSON.parse(inflateRawSync(data).toString("utf8")) as PackedRow[][];
  const [definitions, fields, imports, exports, references] = rows as unknown as [
    [string, string, number, number, number, number, string | null | undefined, string | undefined][],
    [number, string, string | null, number, number][],
    [string, string, string | undefined][],
    [string, string, string][],
    [string, number, number, string | null, ...number[]][],
  ];
  return {
    definitions: definitions.map(([name, kind, level, line, lines, parent, value = null, owner = ""]) => {
      return { name, kind, level: levelNames[level]!, line, endLine: line + lines, parent, owner, value };
    }),
    fields: fields.map(([of, name, value, line, method]) => ({
      of,
      name,
      value,
      line,
      isMethod: method === 1,
    })),
    imports: imports.map(([from, name, local = name]) => ({ local, from, name })),
    exports: exports.map(([as, from, name]) => ({ as, from, name })),
    references: references.map(([name, kind, within, on, ...steps]) => {
      let line = 0;
      return { name, kind: edgeKinds[kind]!, within, on, lines: steps.map((step) => (line += step)) };
    }),
  };
}
