import type { Language } from "./language.ts";

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
  },
};
