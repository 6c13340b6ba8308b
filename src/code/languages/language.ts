import type { References } from "./references/references.ts";

/** Languages as data (languages.json): the chunker and the graph have no language-specific code. */

/**
 * Steps from a node to one of its parts, separated by blanks: `field` is the child in that field,
 * `field*` follows that field as long as there is one, `>kind` is the first child of that kind.
 */
export type Path = string;

/**
 * Node kind -> the language's word for what it defines. "keyword" takes the word from the declaration
 * itself, where a grammar has one kind for `class`, `struct` and `enum`.
 */
type KindNames = Readonly<Record<string, string>>;

/** How definitions look in the syntax trees of one tree-sitter grammar. */
export interface Grammar {
  /** A key of grammars.json, and the name of its file in dist/grammars. */
  wasm: string;
  /** Things with members. */
  class: KindNames;
  /** Things that run. */
  method: KindNames;
  /** Named shapes without members of their own: aliases. */
  type?: KindNames;
  /** Named values; only those of files and classes count, not local variables. */
  constant?: KindNames;
  /** Kinds that define something only if their text starts with one of these words, and what then. */
  keywords?: Readonly<Record<string, Readonly<Record<string, readonly ["class" | "method", string]>>>>;
  /** Kinds that also occur as mere mentions, without a body (`struct stat *s`). */
  bodied?: readonly string[];
  /** The path to the name; by default the field `name`. */
  name?: Readonly<Record<string, Path>>;
  /** Where the type is that a method written outside of it belongs to (`func (e *Engine) Run`). */
  owner?: Readonly<Record<string, Path>>;
  /** The path to the start of the body; by default the field `body`. */
  body?: Readonly<Record<string, Path>>;
  /** Definitions that get their name from what they are assigned to. */
  expressions?: {
    kinds: readonly string[];
    /** What may give the name, and where in it the name is. */
    namedBy: Readonly<Record<string, Path>>;
    /** Nodes that may be between the two. */
    through: readonly string[];
    /** Other nodes that may be between them outside of functions: `const handler = wrap(() => {})`. */
    calls?: readonly string[];
  };
  /** Nodes around a definition that belong to it: `export`, decorators, `template <...>`. */
  wrapper?: readonly string[];
  /** Nodes whose children are members of the enclosing node: `#ifdef`, `extern "C"`. */
  transparent?: readonly string[];
  /**
   * What may be blanked out before a file with errors is parsed again, in the order of trying: words that
   * only a preprocessor understands, syntax that is newer than the grammar.
   */
  noise?: readonly RegExp[];
  /** What is blanked out in every file before it is parsed: it says nothing of what is defined, and misleads the grammar. */
  annotation?: RegExp;
  /** Functions of such a name are macros that define what their arguments name. */
  namedByArguments?: RegExp;
  /** Words that are no name: what seems to be called so does not parse. */
  noName?: RegExp;
  /** How a line begins that may start a declaration, if not all but closing brackets do. */
  declaration?: RegExp;
  /** The marker that must precede code: without it no part of a file can be parsed. */
  opening?: RegExp;
  comment: readonly string[];
  /** Nodes that precede a definition as siblings and belong to it: attributes, decorators. */
  attribute?: readonly string[];
  /** The start of an attribute that documents the following definition, or the one around it. */
  docAttributes?: { before: RegExp; inside: RegExp };
  /** The start of the first statement of a body (or file) that is documentation. */
  docstring?: RegExp;
  /** The path to the type that a definition returns. */
  returns?: Readonly<Record<string, Path>>;
  /** How it refers to what is defined elsewhere; without it, its files are not in the graph. */
  references?: References;
  /** Lists of statements, members or elements: a long span may be cut between their children. */
  block: readonly string[];
}

export interface Language {
  id: string;
  /** As people write it. */
  title: string;
  /** Other names a user may type. */
  aliases?: readonly string[];
  /** Lower-case, without the dot. C's and C++'s are without `h`: the repository decides, see `languageOf`. */
  extensions: readonly string[];
  /** Whole file names. */
  filenames?: readonly string[];
  /** Programs that a `#!` line may name. */
  interpreters?: readonly string[];
  grammar: Grammar;
}
