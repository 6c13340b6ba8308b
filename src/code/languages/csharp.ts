import type { Language } from "./language.ts";

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
