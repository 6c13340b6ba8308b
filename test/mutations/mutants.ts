import { parseSync, Visitor } from "vite";

/** A change of one place of a source. */
export interface Mutant {
  file: string;
  /** What is changed: an expression, a statement, or the name of a method with the dot before it. */
  kind: "expression" | "statement" | "method";
  start: number;
  end: number;
  /** What stands there instead. */
  text: string;
}

/** What a careless hand confuses. */
const otherOperators: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};
const otherMethods: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith",
};

interface Place {
  start: number;
  end: number;
}

const overlaps = (one: Place, other: Place) => one.start < other.end && other.start < one.end;

/** @returns one for each operator, condition, number, truth value, statement and method that can be confused */
export function findMutants(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  /** Types, which the compiler checks, and names of properties. */
  const ignored: Place[] = [];
  const textAt = ({ start, end }: Place) => source.slice(start, end);
  const replace = ({ start, end }: Place, text: string) =>
    mutants.push({ file, kind: "expression", start, end, text });

  const confuseOperator = (node: Place & { left: Place; right: Place; operator: string }) => {
    const { left, right, operator } = node;
    const other = otherOperators[operator];
    const isText = operator === "+" && [left, right].some((side) => /["'`]/.test(textAt(side)));
    if (other !== undefined && !isText) replace(node, `(${textAt(left)}) ${other} (${textAt(right)})`);
  };

  new Visitor({
    TSLiteralType: (node) => void ignored.push(node),
    Property: ({ key, computed }) => {
      if (!computed) ignored.push(key);
    },
    BinaryExpression: confuseOperator,
    LogicalExpression: confuseOperator,
    UnaryExpression: (node) => {
      if (node.operator === "!") replace(node, textAt(node.argument));
    },
    IfStatement: ({ test }) => replace(test, `!(${textAt(test)})`),
    ConditionalExpression: ({ test }) => replace(test, `!(${textAt(test)})`),
    ExpressionStatement: (node) => {
      const call = node.expression.type === "AwaitExpression" ? node.expression.argument : node.expression;
      if (call.type === "CallExpression")
        mutants.push({ file, kind: "statement", start: node.start, end: node.end, text: ";" });
    },
    Literal: (node) => {
      if (typeof node.value === "boolean") replace(node, String(!node.value));
      if (typeof node.value === "number") replace(node, String(node.value + 1));
    },
    MemberExpression: ({ object, property, computed }) => {
      if (property.type !== "Identifier" || computed || !Object.hasOwn(otherMethods, property.name)) return;
      const other = otherMethods[property.name]!;
      const text = source.slice(object.end, property.start) + other;
      mutants.push({ file, kind: "method", start: object.end, end: property.end, text });
    },
  }).visit(parseSync(file, source).program);

  return mutants.filter(({ start, end }) => !ignored.some((one) => one.start <= start && end <= one.end));
}

/** Of mutants in their order so many that lie beside each other, so that one source can hold them all. */
export function pickApart(mutants: readonly Mutant[], count: number): Mutant[] {
  const picked: Mutant[] = [];
  for (const mutant of mutants) {
    if (picked.length === count) break;
    if (!picked.some((one) => one.file === mutant.file && overlaps(one, mutant))) picked.push(mutant);
  }
  return picked;
}

/** Which mutant is in force: its number; none where nothing is set. */
const activeMutant = "globalThis.activeMutant";

/** A source with its mutants, each in force while `activeMutant` is its number. They must lie apart. */
export function holdMutants(source: string, mutants: readonly (Mutant & { id: number })[]): string {
  let held = source;
  for (const mutant of mutants.toSorted((a, b) => b.start - a.start)) {
    const { start, end } = mutant;
    held = held.slice(0, start) + holdBoth(mutant, source.slice(start, end)) + held.slice(end);
  }
  return held;
}

function holdBoth({ id, kind, text }: Mutant & { id: number }, original: string): string {
  const isActive = `${activeMutant} === ${id}`;
  if (kind === "expression") return `(${isActive} ? (${text}) : (${original}))`;
  if (kind === "statement") return `{ if (!(${isActive})) ${original} }`;
  const [other, usual] = [text, original].map((member) => `"${/\w+$/.exec(member)![0]}"`);
  return `${original.includes("?.") ? "?." : ""}[${isActive} ? ${other} : ${usual}]`;
}
