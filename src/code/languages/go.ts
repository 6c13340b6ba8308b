import type { Language } from "./language.ts";

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
  },
};
