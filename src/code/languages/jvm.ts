import type { Language } from "./language.ts";
import { javaReferences } from "./references/java.ts";

export const java: Language = {
  id: "java",
  title: "Java",
  extensions: ["java"],
  grammar: {
    wasm: "java",
    class: {
      class_declaration: "class",
      interface_declaration: "interface",
      enum_declaration: "enum",
      record_declaration: "record",
      annotation_type_declaration: "annotation",
    },
    method: {
      method_declaration: "method",
      constructor_declaration: "constructor",
      compact_constructor_declaration: "constructor",
      annotation_type_element_declaration: "element",
    },
    constant: { field_declaration: "field", enum_constant: "constant" },
    name: { field_declaration: "declarator name" },
    comment: ["line_comment", "block_comment"],
    block: [
      "block",
      "class_body",
      "interface_body",
      "enum_body",
      "constructor_body",
      "switch_block",
      "array_initializer",
    ],
    returns: { method_declaration: "type" },
    references: javaReferences,
  },
};

export const kotlin: Language = {
  id: "kotlin",
  title: "Kotlin",
  aliases: ["kt"],
  extensions: ["kt", "kts"],
  grammar: {
    wasm: "kotlin",
    class: { class_declaration: "keyword", object_declaration: "object", companion_object: "object" },
    method: { function_declaration: "function", secondary_constructor: "constructor" },
    type: { type_alias: "type" },
    constant: { property_declaration: "property", enum_entry: "constant" },
    name: {
      type_alias: "type",
      property_declaration: ">variable_declaration >identifier",
      enum_entry: ">identifier",
      companion_object: ">companion",
      secondary_constructor: ">constructor",
    },
    body: {
      class_declaration: ">class_body",
      object_declaration: ">class_body",
      companion_object: ">class_body",
      function_declaration: ">function_body",
      secondary_constructor: ">block",
    },
    // Annotations of a constructor on a line of its own: a break ends a class's head for the grammar.
    noise: [/@\w+(?:\([^()\n]*\))?(?=\s+(?:\w+\s+)?constructor\b)/g],
    comment: ["line_comment", "block_comment"],
    block: ["block", "class_body", "enum_class_body", "lambda_literal", "when_expression"],
  },
};

export const scala: Language = {
  id: "scala",
  title: "Scala",
  extensions: ["scala", "sc", "sbt"],
  grammar: {
    wasm: "scala",
    class: {
      class_definition: "class",
      object_definition: "object",
      trait_definition: "trait",
      enum_definition: "enum",
      package_object: "object",
    },
    method: {
      function_definition: "function",
      function_declaration: "function",
      given_definition: "given",
    },
    type: { type_definition: "type" },
    constant: { val_definition: "value", var_definition: "variable" },
    name: { val_definition: "pattern", var_definition: "pattern" },
    comment: ["comment", "block_comment"],
    block: ["block", "template_body", "enum_body", "case_block", "indented_block"],
  },
};
