import type { References } from "./references.ts";

export const javaReferences: References = {
  query: `
    [(method_declaration) (constructor_declaration) (compact_constructor_declaration) (lambda_expression) (catch_clause)
     (static_initializer)] @scope

    (formal_parameter type: (_) @type name: (identifier) @local)
    (spread_parameter (variable_declarator name: (identifier) @local))
    (local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @local))
    (local_variable_declaration declarator: (variable_declarator name: (identifier) @local value: (_) @value))
    (enhanced_for_statement type: (_) @type name: (identifier) @local)
    (resource type: (_) @type name: (identifier) @local)
    (catch_formal_parameter name: (identifier) @local)
    (lambda_expression parameters: (identifier) @local)
    (inferred_parameters (identifier) @local)
    (instanceof_expression right: (_) @type name: (identifier) @local)

    (field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @field))

    (method_invocation !object name: (identifier) @call)
    (method_invocation object: (_) @on name: (identifier) @call)
    (method_reference . (identifier) @on (identifier) @call .)
    (object_creation_expression type: (type_identifier) @construct)
    (object_creation_expression type: (generic_type (type_identifier) @construct))
    (object_creation_expression type: (scoped_type_identifier (type_identifier) @on (type_identifier) @construct))
    (superclass (type_identifier) @base)
    (superclass (generic_type (type_identifier) @base))
    (super_interfaces (type_list (type_identifier) @base))
    (super_interfaces (type_list (generic_type (type_identifier) @base)))
    (extends_interfaces (type_list (type_identifier) @base))
    (extends_interfaces (type_list (generic_type (type_identifier) @base)))

    (field_access object: (identifier) @use)
    (method_invocation object: (identifier) @use)
    (argument_list (identifier) @use)
    (return_statement (identifier) @use)
    (formal_parameter type: (type_identifier) @type_name)
    (local_variable_declaration type: (type_identifier) @type_name)
    (field_declaration type: (type_identifier) @type_name)
    (method_declaration type: (type_identifier) @type_name)
    (type_arguments (type_identifier) @type_name)
    (generic_type (type_identifier) @type_name)
    (cast_expression type: (type_identifier) @type_name)
    (instanceof_expression right: (type_identifier) @type_name)
    (class_literal (type_identifier) @type_name)
    (marker_annotation name: (identifier) @type_name)
    (annotation name: (identifier) @type_name)

    (package_declaration [(scoped_identifier) (identifier)] @package)
    (import_declaration (scoped_identifier) @path .)
    (import_declaration (scoped_identifier) @from (asterisk)) @import_all
  `,
  self: ["this"],
  handsOn: ["orElse", "orElseThrow"],
  modules: { style: "dotted", extensions: ["java"], sharesDirectory: true, implicitSelf: true },
};
