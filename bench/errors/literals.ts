/** Error messages in source code: string literals near a word that raises, with what a program puts into them. */

/** A part of a message: text as the program prints it, or a placeholder. */
export type Part = { text: string; source: string } | { placeholder: "number" | "value" };

export interface Message {
  parts: Part[];
  /** 1-based. */
  line: number;
}

/** How a language writes messages. */
interface Syntax {
  extensions: RegExp;
  /** On the line of the string, or on the two before it. */
  raises: RegExp;
  quotes: readonly string[];
  /** Placeholders inside a literal that starts with this prefix and quote. */
  placeholders: (prefix: string, quote: string) => RegExp | null;
  /** Between two parts of one message. */
  joins: RegExp;
}

const printf = String.raw`%(?:\([^)]*\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|ll|[hlqjzt])?[diouxXeEfgGcsaApvTwqUbt]`;
const braces = String.raw`\{[^{}"]*\}`;
const global = (source: string) => new RegExp(source, "g");

export const syntaxes: Readonly<Record<string, Syntax>> = {
  TypeScript: {
    extensions: /\.[cm]?[jt]sx?$/,
    raises: /\bthrow\b|Error\(|\b(?:console\.(?:error|warn)|invariant|assert)\(/,
    quotes: ["`", '"', "'"],
    placeholders: (_, quote) => (quote === "`" ? global(String.raw`\$\{(?:[^{}]|\{[^{}]*\})*\}`) : null),
    joins: /^\s*\+\s*/,
  },
  Python: {
    extensions: /\.py$/,
    raises: /\braise\b|\b(?:Error|Exception|warn|error|abort|fail)\(/,
    quotes: ['"', "'"],
    placeholders: (prefix) => global(/f/i.test(prefix) ? braces : `${printf}|${braces}`),
    joins: /^\s*(?:\+\s*)?(?=[rbfuRBFU]{0,2}["'])/,
  },
  Go: {
    extensions: /\.go$/,
    raises: /\b(?:errors\.New|Errorf|panic|Fatalf?|log\.\w+|Fprintf|Fprintln|Warn|Error)\(/,
    quotes: ['"', "`"],
    placeholders: () => global(printf),
    joins: /^\s*\+\s*/,
  },
  Rust: {
    extensions: /\.rs$/,
    raises:
      /\b(?:panic|unreachable|assert\w*|format_args|write|bail|compile_error|error)!|Err\(|\b(?:custom|expect|error\w*|Error::\w+)\(/,
    quotes: ['"'],
    placeholders: () => global(braces),
    joins: /^(?!)/,
  },
  Java: {
    extensions: /\.java$/,
    raises: /\bthrow\b|Exception\(|Error\(/,
    quotes: ['"'],
    placeholders: () => global(printf),
    joins: /^\s*\+\s*/,
  },
  Kotlin: {
    extensions: /\.kt$/,
    raises: /\bthrow\b|Exception\(|Error\(|\b(?:error|require|check)\(|\b(?:require|check)\b.*\{/,
    quotes: ['"'],
    placeholders: () => global(String.raw`\$\{(?:[^{}]|\{[^{}]*\})*\}|\$[a-zA-Z_]\w*`),
    joins: /^\s*\+\s*/,
  },
  PHP: {
    extensions: /\.php$/,
    raises: /\bthrow\b|Exception\(|trigger_error\(/,
    quotes: ["'", '"'],
    placeholders: (_, quote) =>
      global(quote === '"' ? String.raw`\{\$[^}]*\}|\$[a-zA-Z_]\w*(?:->\w+|\[\w+\])?|${printf}` : printf),
    joins: /^\s*\.\s*/,
  },
  Ruby: {
    extensions: /\.rb$/,
    raises: /\braise\b|\bwarn\b|Error/,
    quotes: ['"', "'"],
    placeholders: (_, quote) => global(quote === '"' ? String.raw`#\{[^{}]*\}|${printf}` : printf),
    joins: /^\s*(?:\+|<<|\\\n)\s*/,
  },
  "C#": {
    extensions: /\.cs$/,
    raises: /\bthrow\b|Exception\(/,
    quotes: ['"'],
    placeholders: () => global(braces),
    joins: /^\s*\+\s*/,
  },
  C: {
    extensions: /\.[ch]$/,
    raises: /\b(?:failf|infof|warnf|errorf|curl_mfprintf|fprintf|perror|CURL_TRC_\w+)\(/,
    quotes: ['"'],
    // A literal may end with the "%" of a format that a macro spells: "%" PRIu64.
    placeholders: () => global(`${printf}|%$`),
    joins: /^\s*(?:[A-Z_0-9]+\s*)?(?=")/,
  },
};

/** An expression that is joined to a string: a name, a call, an index. */
const expression = /^[\w$@]+(?:(?:\?\.|\.|->|::)\s*[\w$]+|\((?:[^()"']|\([^()"']*\))*\)|\[[^\]"']*\])*/;

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "", "0": "" };
const unescaped = (source: string) =>
  source.replace(/\\(.)/gs, (_, character: string) => escapes[character] ?? character);

/** All messages of a file, in order. */
export function messagesIn(text: string, syntax: Syntax): Message[] {
  const found: Message[] = [];
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  let line = 0;
  let done = 0;
  for (const start of starts) {
    line++;
    const end = starts[line] ?? text.length;
    const before = text.slice(starts[Math.max(0, line - 3)]!, end);
    if (!syntax.raises.test(before) || /^\s*(?:\/\/|#|\*|\/\*)/.test(text.slice(start, end))) continue;
    for (let at = Math.max(start, done); at < end; at++) {
      if (!syntax.quotes.includes(text[at]!)) continue;
      const message = messageAt(text, at, syntax);
      if (message === null) continue;
      found.push({ parts: message.parts, line });
      at = message.end - 1;
      done = message.end;
    }
  }
  return found;
}

/** The message whose first literal starts here: literals and expressions, as far as they are joined. */
function messageAt(text: string, start: number, syntax: Syntax): { parts: Part[]; end: number } | null {
  const first = literalAt(text, start, syntax);
  if (first === null) return null;
  const parts = [...first.parts];
  let end = first.end;
  for (;;) {
    const rest = text.slice(end, end + 400);
    const join = syntax.joins.exec(rest);
    if (join === null) return { parts, end };
    const at = end + join[0].length;
    const prefix = /^[rbfuRBFU$@]{0,2}(?=["'`])/.exec(text.slice(at, at + 3))?.[0] ?? "";
    const literal = syntax.quotes.includes(text[at + prefix.length] ?? "")
      ? literalAt(text, at + prefix.length, syntax)
      : null;
    if (literal) {
      parts.push(...literal.parts);
      end = literal.end;
      continue;
    }
    const value = expression.exec(text.slice(at, at + 200));
    if (value === null || value[0] === "") return { parts, end };
    parts.push({ placeholder: "value" });
    end = at + value[0].length;
  }
}

function literalAt(text: string, start: number, syntax: Syntax): { parts: Part[]; end: number } | null {
  const quote = text[start]!;
  // Documentation and texts of several lines are no messages.
  if (text.startsWith(quote.repeat(3), start)) return null;
  let end = start + 1;
  while (end < text.length && text[end] !== quote) {
    if (text[end] === "\n" && quote !== "`") return null;
    end += text[end] === "\\" ? 2 : 1;
  }
  const prefix = /[rbfuRBFU$@]{0,2}$/.exec(text.slice(Math.max(0, start - 2), start))?.[0] ?? "";
  return { parts: partsOf(text.slice(start + 1, end), syntax.placeholders(prefix, quote)), end: end + 1 };
}

function partsOf(source: string, placeholders: RegExp | null): Part[] {
  const parts: Part[] = [];
  let next = 0;
  const addText = (to: number) => {
    const piece = source.slice(next, to);
    if (piece !== "") parts.push({ text: unescaped(piece), source: piece });
  };
  for (const match of placeholders === null ? [] : source.matchAll(placeholders)) {
    addText(match.index);
    parts.push({ placeholder: /[diouxX]$/.test(match[0]) && match[0].startsWith("%") ? "number" : "value" });
    next = match.index + match[0].length;
  }
  addText(source.length);
  return parts;
}
