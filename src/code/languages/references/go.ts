import type { References } from "./references.ts";

export const goReferences: References = {
  query: `
    [(function_declaration) (method_declaration) (func_literal)] @scope

    (parameter_declaration name: (identifier) @local type: (_) @type)
    (variadic_parameter_declaration name: (identifier) @local)
    (var_spec name: (identifier) @local type: (_) @type)
    (var_spec . name: (identifier) @local !type value: (expression_list . (_) @value .))
    (short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (_) @value))
    (short_var_declaration left: (expression_list (identifier) . (identifier) @local))
    (range_clause left: (expression_list (identifier) @local))
    (receive_statement left: (expression_list (identifier) @local))
    (type_switch_statement alias: (expression_list (identifier) @local))

    (field_declaration name: (field_identifier) @field type: (_) @type)
    (field_declaration !name type: (type_identifier) @base)
    (field_declaration !name type: (pointer_type (type_identifier) @base))
    (field_declaration !name type: (qualified_type package: (_) @on name: (_) @base))
    (interface_type (method_elem name: (field_identifier) @method))
    (interface_type (method_elem name: (field_identifier) @method result: (_) @type))
    (interface_type (type_elem (type_identifier) @base))

    (call_expression function: (identifier) @call)
    (call_expression function: (selector_expression operand: (_) @on field: (_) @call))
    (call_expression function: (type_instantiation_expression type: (type_identifier) @call))
    (call_expression function: (parenthesized_expression (_) @_type))
    (composite_literal type: (type_identifier) @construct)
    (composite_literal type: (qualified_type package: (_) @on name: (_) @construct))

    (argument_list (identifier) @use)
    (literal_element (identifier) @use)
    (keyed_element (_) (literal_element (identifier) @use))
    (short_var_declaration right: (expression_list (identifier) @use))
    (assignment_statement right: (expression_list (identifier) @use))
    (return_statement (expression_list (identifier) @use))
    (binary_expression (identifier) @use)
    (selector_expression operand: (identifier) @use)
    (index_expression operand: (identifier) @use)

    (parameter_declaration type: (type_identifier) @type_name)
    (pointer_type (type_identifier) @type_name)
    (slice_type element: (type_identifier) @type_name)
    (map_type value: (type_identifier) @type_name)
    (field_declaration type: (type_identifier) @type_name)
    (qualified_type package: (_) @on name: (_) @type_name)
    (function_declaration result: (type_identifier) @type_name)
    (method_declaration result: (type_identifier) @type_name)
    (var_spec type: (type_identifier) @type_name)
    (type_conversion_expression type: (type_identifier) @type_name)

    (import_spec !name path: (interpreted_string_literal (interpreted_string_literal_content) @module))
    (import_spec name: (package_identifier) @as path: (interpreted_string_literal (interpreted_string_literal_content) @module))
  `,
  modules: { style: "directory", extensions: ["go"], sharesDirectory: true },
};
