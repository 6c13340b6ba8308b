import { parseSync, Visitor } from "vite";

/** A change of one place of a source. */
export interface Mutant {
  file: string;
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

/** @returns one for each operator, condition, number, truth value, statement and method that can be confused */
export function findMutants(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const types: Place[] = [];
  const replace = ({ start, end }: Place, text: string) => mutants.push({ file, start, end, text });
  const textAt = ({ start, end }: Place) => source.slice(start, end);

  const confuseOperator = ({ left, right, operator }: { left: Place; right: Place; operator: string }) => {
    const other = otherOperators[operator];
    const isText = operator === "+" && [left, right].some((side) => /["'`]/.test(textAt(side)));
    if (other === undefined || isText) return;
    const start = source.indexOf(operator, left.end);
    replace({ start, end: start + operator.length }, other);
  };

  new Visitor({
    // The compiler notices a type that is another.
    TSLiteralType: (node) => void types.push(node),
    BinaryExpression: confuseOperator,
    LogicalExpression: confuseOperator,
    UnaryExpression: (node) => {
      if (node.operator === "!") replace(node, textAt(node.argument));
    },
    IfStatement: ({ test }) => replace(test, `!(${textAt(test)})`),
    ConditionalExpression: ({ test }) => replace(test, `!(${textAt(test)})`),
    ExpressionStatement: (node) => {
      const call = node.expression.type === "AwaitExpression" ? node.expression.argument : node.expression;
      if (call.type === "CallExpression") replace(node, ";");
    },
    Literal: (node) => {
      if (typeof node.value === "boolean") replace(node, String(!node.value));
      if (typeof node.value === "number") replace(node, String(node.value + 1));
    },
    MemberExpression: ({ property }) => {
      const other = property.type === "Identifier" ? otherMethods[property.name] : undefined;
      if (other !== undefined) replace(property, other);
    },
  }).visit(parseSync(file, source).program);

  return mutants.filter(({ start, end }) => !types.some((type) => type.start <= start && end <= type.end));
}
