import type { Language } from "./language.ts";

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
