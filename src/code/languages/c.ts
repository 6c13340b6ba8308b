import type { Grammar, Language } from "./language.ts";

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
