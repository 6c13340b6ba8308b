import type { Grammar, Language } from "./language.ts";
import { javascriptReferences, tsxReferences, typescriptReferences } from "./references/ecmascript.ts";

/** Kinds that JavaScript and TypeScript share. */
const javascript: Grammar = {
  wasm: "javascript",
  class: { class_declaration: "class", class: "class" },
  method: {
    function_declaration: "function",
    generator_function_declaration: "function",
    method_definition: "method",
    arrow_function: "function",
    function_expression: "function",
    generator_function: "function",
  },
  constant: { variable_declarator: "constant", assignment_expression: "constant" },
  name: { assignment_expression: "left" },
  expressions: {
    kinds: ["arrow_function", "function_expression", "generator_function", "class"],
    namedBy: {
      variable_declarator: "name",
      assignment_expression: "left",
      pair: "key",
      field_definition: "property",
    },
    through: ["parenthesized_expression"],
    calls: ["call_expression", "arguments", "await_expression", "new_expression"],
  },
  wrapper: ["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
  comment: ["comment"],
  attribute: ["decorator"],
  block: ["statement_block", "class_body", "object", "array", "switch_body", "jsx_element"],
  references: javascriptReferences,
};

const typescript: Grammar = {
  ...javascript,
  wasm: "typescript",
  class: {
    ...javascript.class,
    abstract_class_declaration: "class",
    interface_declaration: "interface",
    enum_declaration: "enum",
    internal_module: "namespace",
    module: "module",
  },
  method: { ...javascript.method, function_signature: "function", abstract_method_signature: "method" },
  type: { type_alias_declaration: "type" },
  expressions: {
    ...javascript.expressions!,
    namedBy: {
      variable_declarator: "name",
      assignment_expression: "left",
      pair: "key",
      public_field_definition: "name",
    },
    through: ["parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"],
  },
  wrapper: [...javascript.wrapper!, "ambient_declaration"],
  block: [
    "statement_block",
    "class_body",
    "object",
    "array",
    "switch_body",
    "interface_body",
    "enum_body",
    "object_type",
  ],
  returns: {
    function_declaration: "return_type",
    generator_function_declaration: "return_type",
    method_definition: "return_type",
    abstract_method_signature: "return_type",
    function_signature: "return_type",
    arrow_function: "return_type",
    function_expression: "return_type",
  },
  references: typescriptReferences,
};

export const ecmascript: Language[] = [
  {
    id: "typescript",
    title: "TypeScript",
    aliases: ["ts"],
    extensions: ["ts", "mts", "cts"],
    interpreters: ["tsx", "ts-node", "deno", "bun"],
    grammar: typescript,
  },
  {
    id: "tsx",
    title: "TSX",
    aliases: ["typescriptreact"],
    extensions: ["tsx"],
    grammar: {
      ...typescript,
      wasm: "tsx",
      block: [...typescript.block, "jsx_element"],
      references: tsxReferences,
    },
  },
  {
    id: "javascript",
    title: "JavaScript",
    aliases: ["js", "jsx", "javascriptreact", "ecmascript"],
    extensions: ["js", "jsx", "mjs", "cjs"],
    interpreters: ["node", "nodejs"],
    grammar: javascript,
  },
];
