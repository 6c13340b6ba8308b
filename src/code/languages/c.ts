import type { Grammar, Language } from "./language.ts";

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

/** Directives, and of `#if` the branches but the first: those of a torn statement do not fit together. */
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
