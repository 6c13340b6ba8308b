import type { References } from "./references.ts";

export const rustReferences: References = {
  query: `
    [(function_item) (closure_expression) (function_signature_item)] @scope

    (parameter pattern: (identifier) @local type: (_) @type)
    (parameter pattern: (mut_pattern (identifier) @local) type: (_) @type)
    (closure_parameters (identifier) @local)
    (closure_parameters (tuple_pattern (identifier) @local))
    (let_declaration pattern: (identifier) @local type: (_) @type)
    (let_declaration pattern: (identifier) @local !type value: (_) @value)
    (let_declaration pattern: (identifier) @local !type !value)
    (let_declaration pattern: (mut_pattern (identifier) @local) !type value: (_) @value)
    (let_declaration pattern: (tuple_pattern (identifier) @local))
    (for_expression pattern: (identifier) @local)
    (for_expression pattern: (tuple_pattern (identifier) @local))
    (tuple_struct_pattern (identifier) . (identifier) @local)
    (field_pattern name: (shorthand_field_identifier) @local)

    (field_declaration name: (field_identifier) @field type: (_) @type)

    (call_expression function: (identifier) @call)
    (call_expression function: (field_expression value: (_) @on field: (field_identifier) @call))
    (call_expression function: (scoped_identifier path: (_) @on name: (identifier) @call))
    (call_expression function: (generic_function function: (identifier) @call))
    (call_expression function: (generic_function function: (scoped_identifier path: (_) @on name: (identifier) @call)))
    (call_expression function: (generic_function function: (field_expression value: (_) @on field: (_) @call)))
    (macro_invocation macro: (identifier) @call)
    (struct_expression name: (type_identifier) @construct)
    (struct_expression name: (scoped_type_identifier path: (_) @on name: (_) @construct))
    (impl_item trait: (type_identifier) @base)
    (impl_item trait: (generic_type type: (type_identifier) @base))
    (trait_item bounds: (trait_bounds (type_identifier) @base))

    (arguments (identifier) @use)
    (arguments (scoped_identifier path: (_) @on name: (_) @use))
    (let_declaration value: (identifier) @use)
    (binary_expression (identifier) @use)
    (field_initializer value: (identifier) @use)

    (parameter type: (type_identifier) @type_name)
    (reference_type type: (type_identifier) @type_name)
    (type_arguments (type_identifier) @type_name)
    (generic_type type: (type_identifier) @type_name)
    (field_declaration type: (type_identifier) @type_name)
    (function_item return_type: (type_identifier) @type_name)
    (trait_bounds (type_identifier) @type_name)
    (scoped_type_identifier path: (_) @on name: (_) @type_name)

    (use_declaration argument: [(scoped_identifier) (identifier)] @path)
    (use_declaration argument: (scoped_use_list) @path)
    (use_declaration argument: (use_list) @path)
    (use_declaration argument: (use_as_clause) @path)
    (use_declaration argument: (use_wildcard (_) @from)) @import_all
  `,
  self: ["self"],
  handsOn: [
    "unwrap",
    "expect",
    "unwrap_or_default",
    "unwrap_or_else",
    "clone",
    "as_ref",
    "as_mut",
    "borrow",
    "borrow_mut",
    "lock",
    "read",
    "write",
    "to_owned",
  ],
  modules: { style: "crate", extensions: ["rs"], index: ["mod"] },
};
