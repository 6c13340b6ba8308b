import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Functions as a reader of lines finds them: by how they begin and where they are indented, without Pommel's parser. */

/** How a function begins, and statements that change one: what changes nothing that a program does, but its code. */
interface Style {
  header: RegExp;
  statement: (n: number) => string;
  comment: string;
  /** The parameters with one more. */
  parameter: (parameters: string, n: number) => string;
}

const typed = (parameters: string, one: string) => (parameters.trim() === "" ? one : `${parameters}, ${one}`);

const styles: Readonly<Record<string, Style>> = {
  ts: {
    header: /^(\s*)(?:export )?(?:async )?function (\w+)\(([^()]*)\)[^;]*\{$/,
    statement: (n) => `const scripted${n} = ${n}`,
    comment: "//",
    parameter: (parameters, n) => typed(parameters, `extra${n}?: number`),
  },
  py: {
    header: /^(\s*)def (\w+)\(([^()]*)\)[^#]*:$/,
    statement: (n) => `scripted_${n} = ${n}`,
    comment: "#",
    parameter: (parameters, n) => typed(parameters, `extra_${n}=None`),
  },
  go: {
    header: /^()func (?:\([^)]*\) )?(\w+)\(([^()]*)\).*\{$/,
    statement: (n) => `_ = ${n}`,
    comment: "//",
    parameter: (parameters, n) => typed(parameters, `extra${n} int`),
  },
  rs: {
    header: /^(\s*)(?:pub(?:\([a-z]+\))? )?fn (\w+)\(([^()]*)\).*\{$/,
    statement: (n) => `let _scripted_${n} = ${n};`,
    comment: "//",
    parameter: (parameters, n) => typed(parameters, `extra_${n}: u32`),
  },
  java: {
    header:
      /^(\s+)(?:@\w+ )?(?:public |private |protected |static |final |synchronized )+[\w<>[\], ?.]+ (\w+)\(([^()]*)\).*\{$/,
    statement: (n) => `int scripted${n} = ${n};`,
    comment: "//",
    parameter: (parameters, n) => typed(parameters, `int extra${n}`),
  },
  rb: {
    header: /^(\s*)def (\w+[?!]?)\(([^()]*)\)$/,
    statement: (n) => `scripted_${n} = ${n}`,
    comment: "#",
    parameter: (parameters, n) => typed(parameters, `extra_${n} = nil`),
  },
};

export interface PlainFunction {
  path: string;
  name: string;
  style: Style;
  header: string;
  parameters: string;
  /** Lines of its body, each unique in its file. */
  body: string[];
  text: string;
}

/** Functions of a repository with a body of at least six lines of code, of files outside of tests. */
export function listPlainFunctions(root: string): PlainFunction[] {
  const paths = execFileSync("git", ["-C", root, "ls-files"], { encoding: "utf8" }).split("\n");
  return paths.flatMap((path) => {
    const style = styles[path.slice(path.lastIndexOf(".") + 1)];
    if (style === undefined || /test|spec|example|docs\/|bench|\.d\.ts$/i.test(path)) return [];
    return listInFile(path, readFileSync(join(root, path), "utf8"), style);
  });
}

const minBody = 6;

function listInFile(path: string, text: string, style: Style): PlainFunction[] {
  const lines = text.split("\n");
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  return lines.flatMap((header, at) => {
    const [, indent, name = "", parameters = ""] = style.header.exec(header) ?? [];
    if (indent === undefined || times.get(header) !== 1) return [];
    const end = lines.findIndex(
      (line, i) => i > at && line.trim() !== "" && measureIndent(line) <= indent.length,
    );
    const body = dropDocstring(lines.slice(at + 1, end)).filter(
      (line) => times.get(line) === 1 && line.trim().length > 8 && isCode(line, style),
    );
    if (end < 0 || body.length < minBody) return [];
    return [{ path, name, style, header, parameters, body, text: lines.slice(at, end + 1).join("\n") }];
  });
}

/** Without the text that a Python function begins with. */
function dropDocstring(body: string[]): string[] {
  const first = body.findIndex((line) => line.trim() !== "");
  if (!/^\s*r?"""/.test(body[first] ?? "")) return body;
  const last = body.findIndex((line, i) => (i > first || /""".*"""/.test(line)) && line.includes('"""'));
  return body.slice(last + 1);
}

const measureIndent = (line: string): number => line.length - line.trimStart().length;

/** A name that is used in a line, which can become another one wherever it stands. */
const name =
  /\b(?!return|const|await|async|false|self|none|null|true|this|super|raise|throw|else|elif|elsif|while|function|match|class|unless|static|final|public|private|protected|string|boolean|void)[a-z]\w{3,}\b(?!["':])/i;

const isCode = (line: string, { comment }: Style): boolean => {
  const text = line.trim();
  return (
    !text.startsWith(comment) &&
    !/^[*/'"`@#]|"""|'''/.test(text) &&
    !text.includes(` ${comment} `) &&
    name.test(text)
  );
};

/** A line that calls something by another name. */
export const renameIn = (line: string): string => line.replace(name, (found) => `${found}2`);
