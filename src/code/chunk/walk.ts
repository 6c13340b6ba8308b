import { type Language, type Node, Query, type QueryMatch, type Tree } from "web-tree-sitter";
import type { Grammar } from "../languages/language.ts";

/** What is found in a tree. */
export interface Walked {
  /** Everything that may be a definition, comments and attributes, in document order. */
  nodes: Node[];
  /** What the language's query for references matches (`References.query`); none without one. */
  matches: QueryMatch[];
}

/** What a walk looks for. */
interface Sought {
  query: Query;
  /** The pattern of the query that finds nodes; the others are those of references. */
  nodesPattern: number;
}

/** Compiling a query takes as long as parsing some files. */
const queriesByLanguage = new WeakMap<Language, Sought>();

/** The kinds of definitions, comments and attributes of a language. */
export function listNodeKinds({
  class: classes,
  method,
  type = {},
  constant = {},
  keywords = {},
}: Grammar): string[] {
  return [classes, method, type, constant, keywords].flatMap((table) => Object.keys(table));
}

/** Goes through a tree once for both, which takes little longer than for references alone. */
export function walk(tree: Tree, grammar: Grammar): Walked {
  if (grammar.references === undefined) return { nodes: findDefinitionNodes(tree, grammar), matches: [] };
  let sought = queriesByLanguage.get(tree.language);
  if (sought === undefined) {
    sought = compileSoughtQuery(tree.language, grammar, grammar.references.query);
    queriesByLanguage.set(tree.language, sought);
  }
  const walked: Walked = { nodes: [], matches: [] };
  for (const match of sought.query.matches(tree.rootNode)) {
    if (match.patternIndex === sought.nodesPattern) walked.nodes.push(match.captures[0]!.node);
    else walked.matches.push(match);
  }
  return walked;
}

/** The same nodes, without references. */
export function findDefinitionNodes(tree: Tree, grammar: Grammar): Node[] {
  return tree.rootNode.descendantsOfType(listSoughtKinds(grammar)).filter((node) => node.isNamed);
}

const listSoughtKinds = (grammar: Grammar) => [
  ...new Set([...listNodeKinds(grammar), ...grammar.comment, ...(grammar.attribute ?? [])]),
];

function compileSoughtQuery(language: Language, grammar: Grammar, references: string): Sought {
  const kinds = listSoughtKinds(grammar).filter((kind) => language.idForNodeType(kind, true) !== null);
  const query = new Query(language, `${references}\n[${kinds.map((kind) => `(${kind})`).join(" ")}] @node`);
  return { query, nodesPattern: query.patternCount() - 1 };
}
