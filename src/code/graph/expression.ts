/**
 * Expressions and types reduced to what their value's type can be found by, the same for all languages:
 * a root (`name`, `this`, `super`, or `:Type` for a value of that type), followed by `.member` and `()` for a call.
 * `await this.engine?.run(query)` is `this.engine.run()`, `new Engine(1)` is `:Engine`, `await import("./engine.js")` is
 * `%./engine%2Ejs`.
 */
export type Expression = string;

/** A value of one of the language's own types: nothing in the project has that name. */
const ownExpression: Expression = ":0";

/** Longer ones say little, and take long. */
const maxLength = 300;
/** Steps from a root; longer chains are builders, whose types nobody could follow. */
const maxSteps = 8;

/** How a literal, an operator or a function that has no name may begin: asked first, as patterns are slow. */
const ownBeginnings = "\"'`[{0123456789!rbfutTFln";
const own = /^(?:["'`[{\d]|[rbfu]["']|true\b|false\b|True\b|False\b|function\b|lambda\b|typeof\b|not\b|!)/;
const prefixBeginnings = "ayr&*";
const prefixes = /^(?:(?:(?:await|yield|return|&mut)(?![\w$])|&|\*)\s*)*/;

const moduleBeginnings = "ir";
/** A module that is imported where it is needed. */
const importedModule = /^(?:import|require)\(\s*(["'])([^"'\n]+)\1\s*\)/;
const nameModule = (from: string): Expression => `%${from.replaceAll(".", "%2E")}`;
/** What a root imports; null: it is no module. */
export const readModuleName = (root: string): string | null =>
  root.startsWith("%") ? root.slice(1).replaceAll("%2E", ".") : null;

const name = /[\p{L}_$#@][\p{L}\p{N}_$]*/uy;
const openings = "([{<";
const closings = ")]}>";

/**
 * What an expression is reduced to; null where that is not possible: literals, operators, elements of lists.
 * @param root what a name at its beginning stands for; null: unknown
 */
export function reduceExpression(text: string, root: (name: string) => Expression | null): Expression | null {
  if (text.length > maxLength) return null;
  let plain = text.trim();
  while (plain.startsWith("(") && skipBrackets(plain, 0) === plain.length) plain = plain.slice(1, -1).trim();
  if (plain.includes("as") || plain.includes("satisfies")) {
    const cast = /[^=]\b(?:as|satisfies)\s+([\w$.]+)$/.exec(plain);
    if (cast !== null) return cast[1] === "const" ? null : `:${cast[1]}`;
  }
  if (prefixBeginnings.includes(plain.charAt(0))) plain = plain.replace(prefixes, "");
  const made = plain.startsWith("new") ? /^new\s+([\w$.]+)/.exec(plain) : null;
  if (made !== null) return reduceSteps(plain, made[0].length, `:${made[1]}`, true);
  if (plain.startsWith("(")) {
    const end = skipBrackets(plain, 0);
    const inner = end === null ? null : reduceExpression(plain.slice(1, end - 1), root);
    return inner === null ? null : reduceSteps(plain, end!, inner, false);
  }
  const module = moduleBeginnings.includes(plain.charAt(0)) ? importedModule.exec(plain) : null;
  if (module !== null) return reduceSteps(plain, module[0].length, nameModule(module[2]!), false);
  // Of the language itself, whatever it calls that.
  if (ownBeginnings.includes(plain.charAt(0)) && own.test(plain)) return ownExpression;
  const length = nameEnd(plain, 0);
  const first = plain.slice(0, length);
  if (length === 0 || untypedNames.has(first)) return null;
  // A literal of a type: `Engine{...}`.
  const brace = plain.indexOf("{", length);
  if (brace >= 0 && plain.slice(length, brace).trim() === "" && /^\p{Lu}/u.test(first)) {
    return reduceSteps(plain, skipBrackets(plain, brace) ?? plain.length, `:${first}`, false);
  }
  const start = root(first);
  return start === null ? null : reduceSteps(plain, first.length, start, false);
}

/** @param isMade what follows first are the arguments of a constructor */
function reduceSteps(text: string, from: number, start: Expression, isMade: boolean): Expression | null {
  let expression = start;
  let at = from;
  for (let count = 0; count <= maxSteps; ) {
    if (text[at] !== "." && !openings.includes(text.charAt(at))) at = findMatchEnd(blank, text, at);
    if (at >= text.length) return expression;
    const behind = openings.includes(text.charAt(at)) ? at : findMatchEnd(access, text, at);
    if (behind > at) {
      if ("(<[".includes(text.charAt(behind))) {
        at = behind;
        continue;
      }
      at = nameEnd(text, behind);
      if (at === behind) return null;
      const member = text.slice(behind, at);
      if (member !== "await") expression += `.${member}`;
      count++;
    } else if (text[at] === "(" || text[at] === "<" || (text[at] === "{" && isMade)) {
      const isCall = text[at] === "(";
      const end = skipBrackets(text, at);
      if (end === null) return null;
      at = end;
      if (isCall && isMade) isMade = false;
      else if (isCall) expression += "()";
      count++;
    } else {
      return null;
    }
  }
  return null;
}

const blank = /(?:\s|!(?!=)|\?(?!\s|[^.]*:))*/y;
const access = /(?:\?\.|\.|::|->)\s*/y;

/** Where what a sticky pattern finds at an offset ends: at the offset itself if that is nothing. */
function findMatchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where the name that begins at an offset ends: at the offset itself if none does. */
function nameEnd(text: string, at: number): number {
  let end = at;
  let code = text.charCodeAt(at);
  if (isDigit(code)) return at;
  while (isDigit(code) || isLetter(code) || (end === at && (code === 35 || code === 64)))
    code = text.charCodeAt(++end);
  // The table of all letters is large, so the pattern is for those that are not in ASCII.
  return code < 128 || Number.isNaN(code) ? end : findMatchEnd(name, text, at);
}

const isDigit = (code: number) => code >= 48 && code <= 57;
/** Of ASCII, with _ and $. */
const isLetter = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36;

/** Behind the bracket that closes the one at `at`; null if none does. */
function skipBrackets(text: string, at: number): number | null {
  const closing = closings[openings.indexOf(text[at]!)]!;
  const opening = text[at]!;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === opening) depth++;
    else if (text[i] === closing && !(closing === ">" && /[-=]/.test(text[i - 1]!)) && --depth === 0)
      return i + 1;
  }
  return null;
}

/** Types that hand on what they wrap, or are of no interest themselves. */
const wrappers = new Set(
  (
    "Promise Awaited Readonly Partial Required NonNullable Optional Option Result Box Arc Rc Ref Final Awaitable " +
    "ClassVar Annotated PromiseLike LazyLock OnceLock Mutex RwLock MutexGuard Pin Cow Type type"
  ).split(" "),
);
const untypedNames = new Set("null undefined None nil void error var auto any unknown object".split(" "));
/** Before a type, to be left out. */
const modifiers = /^(?:(?:readonly|final|const|mut|dyn|impl|\*|&)\s*|'\w+\s+)+/;
/** A name with what it is a member of. */
const qualifiedNamePattern = /^[A-Za-z_$][\w$.:]*$/;

/** The expression of a value of a type; null for one that has no name: a list, a function, one of several. */
export function reduceTypeExpression(text: string): Expression | null {
  const base = findBaseType(text, 0);
  return base === null ? null : `:${base}`;
}

function findBaseType(text: string, depth: number): string | null {
  if (depth > 5 || text.length > maxLength) return null;
  const bare = text.trim().replace(/^["']|["']$/g, "");
  const plain = bare.replace(modifiers, "").trim();
  if (qualifiedNamePattern.test(plain)) return untypedNames.has(plain) ? null : plain.replaceAll("::", ".");
  // Of several results the first, which may have a name: `(engine *Engine, err error)`.
  if (plain.startsWith("(") && plain.endsWith(")")) {
    const [first = ""] = splitOutsideBrackets(plain.slice(1, -1), ",");
    return findBaseType(first.replace(/^\s*\w+\s+(?=[*\w])/, ""), depth + 1);
  }
  const parts = splitOutsideBrackets(plain, "|").filter((part) => !untypedNames.has(part.trim()));
  if (parts.length !== 1) return null;
  const [, base, args] =
    /^([\p{L}_$][\p{L}\p{N}_$.:]*)\s*(?:[<[](.*)[>\]])?\??$/su.exec(parts[0]!.trim()) ?? [];
  if (base === undefined || (args === undefined && /\[\s*\]$/.test(plain)) || args === "") return null;
  const dotted = base.replaceAll("::", ".");
  if (args === undefined || !wrappers.has(dotted.slice(dotted.lastIndexOf(".") + 1))) return dotted;
  const first = splitOutsideBrackets(args, ",").find((part) => !/^\s*'/.test(part));
  return first === undefined ? null : findBaseType(first, depth + 1);
}

/** Parts of a text between a separator that stands in no brackets. */
function splitOutsideBrackets(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (openings.includes(text[i]!)) depth++;
    else if (closings.includes(text[i]!) && !/[-=]/.test(text[i - 1] ?? "")) depth--;
    else if (text[i] === separator && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** The root of an expression and its steps: `this.engine.run()` -> `this`, [`engine`, `run`, `()`]. */
export function splitExpression(expression: Expression): { root: string; steps: string[] } {
  const isType = expression.startsWith(":");
  const [root = "", ...steps] = (isType ? expression.slice(1) : expression)
    .replaceAll("()", ".()")
    .split(".");
  return { root: isType ? `:${root}` : root, steps };
}

/** The last name of an expression, and what it is a member of; null for what a call returns, and a value of a type. */
export function splitLastMember(expression: Expression): { name: string; on: Expression | null } | null {
  if (expression.endsWith("()")) return null;
  const dot = expression.lastIndexOf(".");
  if (dot >= 0) return { name: expression.slice(dot + 1), on: expression.slice(0, dot) };
  return /^[:%]/.test(expression) || expression === "this" ? null : { name: expression, on: null };
}

/** A text without what stands between it and its member. */
export function withoutAccessor(text: string): string {
  const trimmed = text.trimEnd();
  const accessor = accessors.find((one) => trimmed.endsWith(one));
  return accessor === undefined ? text : trimmed.slice(0, -accessor.length).trimEnd();
}
const accessors = ["?.", ".", "::", "->"];

/** Between an owner and its member a comment would belong to neither. */
export const canHoldComment = (text: string) =>
  text.includes("#") || text.includes("//") || text.includes("/*");
