import type { Language } from "./language.ts";

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
