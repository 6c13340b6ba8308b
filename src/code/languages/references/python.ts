import type { References } from "./references.ts";

export const pythonReferences: References = {
  query: `
    [(function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension)
     (generator_expression)] @scope

    (parameters (identifier) @local)
    (parameters (typed_parameter (identifier) @local type: (type) @type))
    (parameters (default_parameter name: (identifier) @local))
    (parameters (typed_default_parameter name: (identifier) @local type: (type) @type))
    (parameters [(list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)])
    (typed_parameter [(list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)])
    (lambda_parameters (identifier) @local)
    (assignment left: (identifier) @local !type right: (_) @value)
    (assignment left: (identifier) @local type: (type) @type)
    (assignment left: (pattern_list (identifier) @local))
    (for_statement left: (identifier) @local)
    (for_statement left: [(pattern_list (identifier) @local) (tuple_pattern (identifier) @local)])
    (for_in_clause left: (identifier) @local)
    (for_in_clause left: [(pattern_list (identifier) @local) (tuple_pattern (identifier) @local)])
    (as_pattern alias: (as_pattern_target (identifier) @local))
    (named_expression name: (identifier) @local value: (_) @value)

    (assignment left: (attribute object: (identifier) @_self attribute: (identifier) @field) !type right: (_) @value
      (#eq? @_self "self"))
    (assignment left: (attribute object: (identifier) @_self attribute: (identifier) @field) type: (type) @type
      (#eq? @_self "self"))

    (call function: (identifier) @call)
    (call function: (attribute object: (_) @on attribute: (identifier) @call))
    (decorator (identifier) @call)
    (decorator (attribute object: (_) @on attribute: (identifier) @call))
    (class_definition superclasses: (argument_list (identifier) @base))
    (class_definition superclasses: (argument_list (attribute object: (_) @on attribute: (identifier) @base)))
    (class_definition superclasses: (argument_list (subscript value: (identifier) @base)))

    (argument_list (identifier) @use)
    (keyword_argument value: (identifier) @use)
    (assignment right: (identifier) @use)
    (return_statement (identifier) @use)
    (attribute object: (identifier) @use)
    (list (identifier) @use)
    (tuple (identifier) @use)
    (dictionary (pair value: (identifier) @use))
    (comparison_operator (identifier) @use)
    (binary_operator (identifier) @use)
    (raise_statement (identifier) @use)
    (except_clause (identifier) @use)
    (except_clause (as_pattern (identifier) @use))
    (for_statement right: (identifier) @use)
    (subscript value: (identifier) @use)

    (type (identifier) @type_name)
    (type (generic_type (identifier) @type_name))
    (type (attribute object: (_) @on attribute: (identifier) @type_name))
    (type (binary_operator (identifier) @type_name))

    (import_statement name: (dotted_name) @module)
    (import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @as))
    (import_from_statement module_name: (_) @from name: (dotted_name) @import)
    (import_from_statement module_name: (_) @from
      name: (aliased_import name: (dotted_name) @import alias: (identifier) @as))
    (import_from_statement module_name: (_) @from (wildcard_import)) @import_all
  `,
  self: ["self", "cls"],
  modules: { style: "dotted", extensions: ["py", "pyi"], index: ["__init__"] },
};
