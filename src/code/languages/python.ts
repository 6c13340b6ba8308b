import type { Language } from "./language.ts";

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
  },
};
