import type { Node } from "web-tree-sitter";
import type { Path } from "../languages/language.ts";

/** Names longer than this are expressions. */
const maxNameLength = 100;

/** Receivers and scopes that do not show where a definition belongs. */
const meaningless = new Set(["", "this", "self", "exports", "module", "prototype", "default", "window"]);

/** The part of a node that a path leads to, or null. */
export function follow(node: Node, path: Path): Node | null {
  let part: Node | null = node;
  for (const step of path.split(" ")) {
    if (part === null) return null;
    if (step === ">*") part = part.firstNamedChild;
    else if (step.startsWith(">")) part = findChildOfKind(part, step.slice(1));
    else if (step.endsWith("*")) part = findLastOfChain(part, step.slice(0, -1));
    else part = part.childForFieldName(step);
  }
  return part;
}

function findChildOfKind(node: Node, kind: string): Node | null {
  return node.children.find((child) => child.type === kind) ?? null;
}

function findLastOfChain(node: Node, field: string): Node {
  let last = node;
  for (let next = findInner(node, field); next !== null; next = findInner(next, field)) {
    // What C++ converts to (`operator bool()`) has no name to go on to.
    if (next.type.startsWith("abstract_")) break;
    last = next;
  }
  return last;
}

/** What C and C++ declare by reference, or in parentheses, has no field. */
const findInner = (node: Node, field: string): Node | null =>
  /^(?:reference|parenthesized)_/.test(node.type) ? node.lastNamedChild : node.childForFieldName(field);

export interface QualifiedName {
  name: string;
  /** The qualifier of the name (`Engine` of `Engine::run`), "" if none. */
  owner: string;
}

/**
 * Takes a name as written apart: `Foo.prototype.bar`, `ns::A<T>::foo`, `'quoted'`, `*T`.
 * Null if it is no name: a pattern, a computed key, an expression.
 */
export function parseName(written: string): QualifiedName | null {
  if (written.length > maxNameLength * 4) return null;
  const quoted = /^(['"`])(.*)\1$/s.exec(written);
  if (quoted) return isName(quoted[2]!) ? { name: quoted[2]!.trim(), owner: "" } : null;
  if (/^[^\w\s'"`{}(),$#]{1,3}$/.test(written)) return { name: written, owner: "" };
  if (written.startsWith("operator")) return { name: written.replace(/\s*\(.*$/s, ""), owner: "" };
  const plain = withoutTypeArguments(written).replace(/^[\s(*&]+|[\s)]+$/g, "");
  const parts = plain.split(/::|[.:]|\?\./).map((part) => part.trim());
  const name = parts.pop()!;
  if (!isName(name)) return null;
  const owner = parts.findLast((part) => !meaningless.has(part) && isName(part)) ?? "";
  return { name, owner };
}

function isName(text: string): boolean {
  return text !== "" && text.length <= maxNameLength && !/[\n{}[\](),;"'`]/.test(text);
}

function withoutTypeArguments(written: string): string {
  let text = written;
  for (let shorter = text; ; text = shorter) {
    shorter = text.replace(/(?<=\w)\s*<[^<>]*>/g, "");
    if (shorter === text) return text;
  }
}
