import type { Grammar, Language } from "./language.ts";
import { goReferences } from "./references/go.ts";
import { rustReferences } from "./references/rust.ts";

/** What is a macro by its looks: `FMT_API`, `CURL_EXTERN`, `WINAPI`; with arguments nested up to two deep. */
const macro = /\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]*(?:API|EXPORT|EXTERN|INLINE))\b/.source;
const given = /(?:[ \t]*\((?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,200}\)){0,200}\))/.source;
/** Not in a preprocessor's line. */
const inCode = /\b(?=[A-Z])(?<!^[ \t]*#.*)/.source;

/** Macros where no expression can be: before a name, behind a parameter list, alone on a line. */
const macros = new RegExp(
  [
    `${inCode}${macro}${given}?(?=\\s+(?:[A-Za-z_~]|\\[\\[|#))`,
    `(?<=\\)\\s*)${macro}${given}?(?=\\s*[;{])`,
    `(?<=\\bif[ \\t]*)${macro}(?=[ \\t]*\\()`,
    `,\\s*${macro}${given}(?=>)`,
    `(?<![-,{(|&=+*?:<\\\\][ \\t]*\\n\\s*)^[ \\t]*${macro}${given}?[ \\t]*$`,
  ].join("|"),
  "gm",
);

/** Directives, and of `#if` all branches but the first: those of a split statement do not fit together. */
const conditionals =
  /^[ \t]*#[ \t]*(?:else|elif)\b[\s\S]{0,5000}?^[ \t]*#[ \t]*endif.*|^[ \t]*#[ \t]*(?:if|ifdef|ifndef|endif)\b(?:.*\\\n)*.*/gm;

const c: Grammar = {
  wasm: "c",
  class: { struct_specifier: "struct", union_specifier: "union", enum_specifier: "enum" },
  method: { function_definition: "function", preproc_function_def: "macro" },
  type: { type_definition: "type" },
  constant: { preproc_def: "constant", enumerator: "constant", init_declarator: "variable" },
  bodied: ["struct_specifier", "union_specifier", "enum_specifier"],
  name: {
    function_definition: "declarator*",
    type_definition: "declarator*",
    init_declarator: "declarator*",
  },
  body: { preproc_function_def: "value" },
  expressions: {
    kinds: ["struct_specifier", "union_specifier", "enum_specifier"],
    namedBy: { type_definition: "declarator*" },
    through: [],
  },
  wrapper: ["declaration"],
  transparent: ["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"],
  noise: [macros, conditionals],
  // Not labels and directives.
  declaration: /^(?![\w$]+\s*:(?!:))[A-Za-z_/~[]/,
  comment: ["comment"],
  block: [
    "compound_statement",
    "case_statement",
    "initializer_list",
    "field_declaration_list",
    "enumerator_list",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
  ],
};

const cpp: Grammar = {
  ...c,
  wasm: "cpp",
  class: { ...c.class, class_specifier: "class", namespace_definition: "namespace" },
  type: { ...c.type, alias_declaration: "type" },
  bodied: [...c.bodied!, "class_specifier"],
  // `class API Name {` with a macro for API reads as a function whose return type is a class.
  keywords: {
    function_definition: { class: ["class", "class"], struct: ["class", "struct"], enum: ["class", "enum"] },
  },
  wrapper: ["declaration", "template_declaration"],
  transparent: [...c.transparent!, "linkage_specification", "declaration_list"],
  block: [...c.block, "declaration_list"],
};

/** `.h` is in neither list of extensions: the repository decides, see `languageOf`. */
export const cFamily: Language[] = [
  { id: "c", title: "C", extensions: ["c"], grammar: c },
  {
    id: "cpp",
    title: "C++",
    aliases: ["c++", "cxx", "cc"],
    extensions: ["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
    grammar: cpp,
  },
];

export const csharp: Language = {
  id: "csharp",
  title: "C#",
  aliases: ["c#", "cs", "c-sharp", "c_sharp"],
  extensions: ["cs", "csx"],
  grammar: {
    wasm: "c_sharp",
    class: {
      class_declaration: "class",
      interface_declaration: "interface",
      struct_declaration: "struct",
      enum_declaration: "enum",
      record_declaration: "record",
      namespace_declaration: "namespace",
    },
    method: {
      method_declaration: "method",
      constructor_declaration: "constructor",
      destructor_declaration: "destructor",
      operator_declaration: "operator",
      indexer_declaration: "indexer",
      property_declaration: "property",
      local_function_statement: "function",
    },
    type: { delegate_declaration: "delegate" },
    constant: {
      field_declaration: "field",
      event_field_declaration: "event",
      enum_member_declaration: "constant",
    },
    name: {
      field_declaration: ">variable_declaration >variable_declarator name",
      event_field_declaration: ">variable_declaration >variable_declarator name",
      operator_declaration: "operator",
      indexer_declaration: ">this",
    },
    body: { property_declaration: "accessors", indexer_declaration: "accessors" },
    comment: ["comment"],
    block: [
      "block",
      "declaration_list",
      "enum_member_declaration_list",
      "switch_body",
      "initializer_expression",
      "accessor_list",
    ],
  },
};

export const go: Language = {
  id: "go",
  title: "Go",
  aliases: ["golang"],
  extensions: ["go"],
  grammar: {
    wasm: "go",
    class: { type_spec: "type" },
    method: { function_declaration: "function", method_declaration: "method", func_literal: "function" },
    type: { type_alias: "type" },
    constant: { const_spec: "constant", var_spec: "variable" },
    owner: { method_declaration: "receiver >parameter_declaration type" },
    body: { type_spec: "type >field_declaration_list" },
    expressions: {
      kinds: ["func_literal"],
      namedBy: { var_spec: "name", short_var_declaration: "left" },
      through: ["expression_list"],
      calls: ["call_expression", "argument_list"],
    },
    wrapper: ["type_declaration", "const_declaration", "var_declaration", "var_spec_list"],
    comment: ["comment"],
    block: ["statement_list", "block", "literal_value", "field_declaration_list", "interface_type"],
    returns: { function_declaration: "result", method_declaration: "result" },
    references: goReferences,
  },
};

export const rust: Language = {
  id: "rust",
  title: "Rust",
  aliases: ["rs"],
  extensions: ["rs"],
  grammar: {
    wasm: "rust",
    class: {
      struct_item: "struct",
      enum_item: "enum",
      union_item: "union",
      trait_item: "trait",
      impl_item: "impl",
      mod_item: "module",
    },
    method: {
      function_item: "function",
      function_signature_item: "function",
      macro_definition: "macro",
    },
    type: { type_item: "type", associated_type: "type" },
    constant: { const_item: "constant", static_item: "static" },
    bodied: ["mod_item"],
    name: { impl_item: "type" },
    comment: ["line_comment", "block_comment"],
    attribute: ["attribute_item"],
    block: [
      "block",
      "declaration_list",
      "match_block",
      "field_declaration_list",
      "enum_variant_list",
      "array_expression",
      "token_tree",
    ],
    returns: { function_item: "return_type", function_signature_item: "return_type" },
    references: rustReferences,
  },
};

export const swift: Language = {
  id: "swift",
  title: "Swift",
  extensions: ["swift"],
  interpreters: ["swift"],
  grammar: {
    wasm: "swift",
    class: { class_declaration: "keyword", protocol_declaration: "protocol" },
    method: {
      function_declaration: "function",
      protocol_function_declaration: "function",
      deinit_declaration: "deinitializer",
      subscript_declaration: "subscript",
    },
    type: { typealias_declaration: "type" },
    constant: { property_declaration: "property", enum_entry: "constant" },
    name: {
      property_declaration: "name",
      deinit_declaration: ">deinit",
      subscript_declaration: ">subscript",
    },
    body: { subscript_declaration: ">computed_property" },
    comment: ["comment", "multiline_comment"],
    block: [
      "statements",
      "class_body",
      "enum_class_body",
      "protocol_body",
      "switch_statement",
      "lambda_literal",
    ],
  },
};
