/** How one language refers to what is defined elsewhere: the data that edges of the graph are made from. */
export interface References {
  /**
   * A tree-sitter query. The captures of a pattern say what its match is:
   * - `scope`: local names end with it.
   * - `local`: a local name; `type` its declared type, `value` what it is made from, `of` what it is taken out of under
   *   its own name.
   * - `field`: a member that holds a value, with `type` or `value`; `method`: one without a body, with `type`.
   * - `call`, `use`, `type_name`, `base`, `construct`: a mention, by what it does; `on` is what the name is a member of.
   * - `import` (`as`) `from`: a name of a module; `default` and `all` import its default and the module itself; `path`
   *   (`as`) imports what a qualified name says, with braces for several.
   * - `export` (`as`) `from`: exported under a name; `export_all` everything of `from`; `export_default` a name as default.
   * A capture whose name begins with `_` is there for a predicate only. In JavaScript's, an inner `_` stands for the one
   * kind of node that has such fields: one that is named there makes the query take much longer to compile.
   */
  query: string;
  /** What the enclosing type's value is called. */
  self?: readonly string[];
  /** Members of the language's own types whose value is what they are members of, as far as its type goes. */
  handsOn?: readonly string[];
  modules: ModuleStyle;
}

/** How a language finds the files of what is imported. */
export interface ModuleStyle {
  /** How a module is named: by a path, a dotted name, a directory below a module's name, or a path of a crate. */
  style: "path" | "dotted" | "directory" | "crate";
  /** What files of a module end in, without the dot, in the order of preference. */
  extensions: readonly string[];
  /** Names of the file that stands for its directory, without their extension. */
  index?: readonly string[];
  /** Files of one directory see each other's names. */
  sharesDirectory?: boolean;
  /** A member is called without naming what it is a member of. */
  implicitSelf?: boolean;
  /** A type implements each interface whose methods it has, without naming it. */
  implicitInterfaces?: boolean;
}
