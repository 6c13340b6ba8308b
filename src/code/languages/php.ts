import type { Language } from "./language.ts";

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
