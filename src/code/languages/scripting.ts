import type { Language } from "./language.ts";
import { pythonReferences } from "./references/python.ts";

export const python: Language = {
  id: "python",
  title: "Python",
  aliases: ["py", "python3"],
  extensions: ["py", "pyi", "pyw"],
  filenames: ["SConstruct", "SConscript"],
  interpreters: ["python", "python2", "python3", "pypy", "pypy3", "uv"],
  grammar: {
    wasm: "python",
    class: { class_definition: "class" },
    method: { function_definition: "function" },
    type: { type_alias_statement: "type" },
    constant: { assignment: "constant" },
    name: { assignment: "left", type_alias_statement: "left" },
    wrapper: ["decorated_definition", "expression_statement"],
    comment: ["comment"],
    docstring: /^[rRuUbB]{0,2}["']/,
    block: ["block", "list", "dictionary", "set", "tuple"],
    returns: { function_definition: "return_type" },
    references: pythonReferences,
  },
};

export const ruby: Language = {
  id: "ruby",
  title: "Ruby",
  aliases: ["rb"],
  extensions: ["rb", "rake", "gemspec", "ru", "rbi", "podspec"],
  filenames: [
    "Rakefile",
    "Gemfile",
    "Guardfile",
    "Capfile",
    "Vagrantfile",
    "Podfile",
    "Fastfile",
    "Brewfile",
  ],
  interpreters: ["ruby", "rake", "jruby"],
  grammar: {
    wasm: "ruby",
    class: { class: "class", module: "module" },
    method: { method: "method", singleton_method: "method" },
    constant: { assignment: "constant" },
    name: { assignment: "left" },
    comment: ["comment"],
    block: ["body_statement", "block_body", "do_block", "then", "else", "hash", "array", "case"],
  },
};

export const php: Language = {
  id: "php",
  title: "PHP",
  extensions: ["php", "phtml", "php5", "php7", "php8"],
  interpreters: ["php"],
  grammar: {
    wasm: "php",
    class: {
      class_declaration: "class",
      interface_declaration: "interface",
      trait_declaration: "trait",
      enum_declaration: "enum",
    },
    method: {
      function_definition: "function",
      method_declaration: "method",
      anonymous_function: "function",
      arrow_function: "function",
    },
    constant: { const_element: "constant", property_element: "property", enum_case: "constant" },
    name: { const_element: ">name", property_element: "name >name" },
    expressions: {
      kinds: ["anonymous_function", "arrow_function"],
      namedBy: { assignment_expression: "left >name" },
      through: [],
    },
    wrapper: ["const_declaration", "property_declaration", "expression_statement"],
    opening: /<\?(?:php\b|=)?/,
    comment: ["comment"],
    block: [
      "compound_statement",
      "declaration_list",
      "enum_declaration_list",
      "switch_block",
      "array_creation_expression",
      "match_block",
    ],
  },
};

export const lua: Language = {
  id: "lua",
  title: "Lua",
  extensions: ["lua"],
  interpreters: ["lua", "luajit"],
  grammar: {
    wasm: "lua",
    class: {},
    method: { function_declaration: "function", function_definition: "function" },
    constant: { assignment_statement: "variable" },
    name: { assignment_statement: ">variable_list name" },
    expressions: {
      kinds: ["function_definition"],
      namedBy: { assignment_statement: ">variable_list name", field: "name" },
      through: ["expression_list"],
      calls: ["function_call", "arguments"],
    },
    wrapper: ["variable_declaration"],
    comment: ["comment"],
    block: ["block", "table_constructor"],
  },
};

export const elixir: Language = {
  id: "elixir",
  title: "Elixir",
  aliases: ["ex", "exs"],
  extensions: ["ex", "exs"],
  interpreters: ["elixir"],
  grammar: {
    wasm: "elixir",
    class: {},
    method: {},
    // Definitions are macro calls, so the called name decides.
    keywords: {
      call: {
        defmodule: ["class", "module"],
        defprotocol: ["class", "protocol"],
        defimpl: ["class", "implementation"],
        def: ["method", "function"],
        defp: ["method", "function"],
        defmacro: ["method", "macro"],
        defmacrop: ["method", "macro"],
        defguard: ["method", "guard"],
        defguardp: ["method", "guard"],
        defdelegate: ["method", "function"],
      },
    },
    name: { call: ">arguments >* left* target*" },
    body: { call: ">do_block" },
    comment: ["comment"],
    attribute: ["unary_operator"],
    docAttributes: {
      before: /^@(?:doc|typedoc)\s+(?!false\b)/,
      inside: /^@(?:moduledoc|shortdoc)\s+(?!false\b)/,
    },
    block: ["do_block", "stab_clause", "anonymous_function", "list", "map", "body"],
  },
};

export const bash: Language = {
  id: "bash",
  title: "Bash",
  aliases: ["sh", "shell", "zsh"],
  extensions: ["sh", "bash", "zsh", "ksh", "bats"],
  filenames: [".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
  interpreters: ["sh", "bash", "zsh", "dash", "ksh", "ash"],
  grammar: {
    wasm: "bash",
    class: {},
    method: { function_definition: "function" },
    constant: { variable_assignment: "variable" },
    wrapper: ["declaration_command"],
    comment: ["comment"],
    block: ["compound_statement", "do_group", "if_statement", "case_statement", "case_item", "subshell"],
  },
};
