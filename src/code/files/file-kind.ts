/** Whether a person or a machine wrote a file, by its name and its first lines. */

import { posix } from "node:path";
import { shortenRuns } from "../../base/text/long-lines.ts";
import names from "./generated-names.json" with { type: "json" };

/** What package managers write: exact names, lower case. */
const lockFiles = new Set(names.lockFiles);

/** Source maps, and the outputs of protobuf, thrift, Dart's build_runner, .NET designers, Kubernetes. */
const generatedName = new RegExp(names.patterns.join("|"));

/** Whether the name alone shows that a tool wrote the file: lock files, source maps, compiler outputs. */
export function isGeneratedName(path: string): boolean {
  const name = posix.basename(path).toLowerCase();
  return lockFiles.has(name) || generatedName.test(name);
}

/** Files that exist to hold secrets. Templates of them (`.env.example`) do not. */
const secretName =
  /^(\.env(\..+)?|.+\.env|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|key|p8|p12|pfx|keystore|jks|kdbx|ppk)|credentials|secrets?\.(ya?ml|json|toml|env))$/;
const templateName = /\.(example|sample|template|dist|defaults?|test|schema)(\.|$)/;

/** Whether the name suggests secrets: such a file is not read. */
export function isSecretName(path: string): boolean {
  const name = posix.basename(path).toLowerCase();
  return secretName.test(name) && !templateName.test(name);
}

/** Maximum length of a file's header. UTF-16 units. */
const headerLength = 2048;

/** In prose, `#` starts a heading and "generated" is a word like any other. */
const prose = new Set([".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex"]);

const lineComment = /^(?:\/\/+[/!]?|#+!?|--+|;+|%+|rem\b|dnl\b|'(?!'))\s*/i;
const blockComments: [open: string, close: string][] = [
  ["/*", "*/"],
  ["<!--", "-->"],
  ['"""', '"""'],
  ["'''", "'''"],
  ["(*", "*)"],
  ["{-", "-}"],
];
/** What may precede a header comment: `<?php`, `<?xml ...?>`, `"use strict"`. */
const prologue = /^(?:<\?|<%|['"]use strict['"])/;

/** The text of the comments above the first line of code, one line each, without comment marks. */
function extractHeaderComments(text: string): string[] {
  const comments: string[] = [];
  let close = "";
  for (const raw of text.slice(0, headerLength).split(/\r\n?|\n/)) {
    let line = raw.trim();
    if (close === "") {
      const block = blockComments.find(([open]) => line.startsWith(open));
      if (block) {
        close = block[1];
        line = line.slice(block[0].length);
      } else if (lineComment.test(line)) {
        comments.push(line.replace(lineComment, ""));
        continue;
      } else if (line === "" || prologue.test(line)) {
        continue;
      } else {
        break;
      }
    }
    const end = line.indexOf(close);
    comments.push((end < 0 ? line : line.slice(0, end)).replace(/^[\s*!=#-]+/, ""));
    if (end >= 0) close = "";
  }
  return comments;
}

/**
 * Sentences that tools put above their output. Each must begin the line or be outside quotes: a code generator's own
 * documentation quotes the sentence, or mentions it in the middle of another one.
 */
const generatedHeader = new RegExp(
  [
    String.raw`^[^"'\x60“]*\bgenerated\b.*\bdo not (?:edit|modify|change|alter)\b`,
    String.raw`^[^"'\x60“]*\bdo not (?:edit|modify|change|alter)\b.*\bgenerated\b`,
    String.raw`^(?:this file (?:is|was) (?:automatically )?)?@(?:partially-)?generated\b`,
    String.raw`^<auto-?generated\b`,
    String.raw`^(?:[a-z]+[:!,] *)?(?:this|the following) (?:file|code|source|module|class|header|script|schema) (?:is|was|has been) (?:auto[- ]?|automatically |machine[- ])?generated\b`,
    String.raw`^auto(?:matically)?[- ]?generated (?:file|code|by|from|with|using)\b`,
    String.raw`^(?:this is an? )?(?:auto(?:matically)?[- ]?)?generated file\b`,
    String.raw`\bgenerated (?:automatically )?(?:from .+ )?by (?:the )?(?:antlr|cython|flex|re2c|swig|thrift|protocol buffer|gnu autoconf|aclocal|automake|libtool)\b`,
    "^a bison parser, made by",
  ].join("|"),
  "i",
);

/** Whether the comments above the first line of code identify the file as generated. */
export function hasGeneratedHeader(path: string, text: string): boolean {
  if (prose.has(posix.extname(path).toLowerCase())) return false;
  return extractHeaderComments(text).some((line) => generatedHeader.test(line));
}

const minifiedName = /[.-]min\.(?:js|mjs|cjs|css|html|json|svg)$/i;
/** What build tools squeeze. Prose and logs have long lines of their own accord. */
const squeezed = new Set([".js", ".mjs", ".cjs", ".css", ".json", ".html", ".htm", ".svg", ".xml"]);
/** Below this, a long line is a one-liner. UTF-16 units. */
const shortestMinified = 2000;
/** Code that people wrap by hand stays far below this average; bundles are in the thousands. */
const maxAverageLineLength = 300;
/** Among minified lines, longer ones are taken for minified, too. */
const maxLineByHand = 500;
const minifiedLine = new RegExp(`^[^\\n]{${maxLineByHand + 1},}`, "gm");

/** Comments, and what every file of a kind begins with. What is not closed goes on to the end: else it would be looked for again and again. */
const saysNothing = /\/\*.*?(?:\*\/|$)|\/\/[^\n]*|<!--.*?(?:-->|$)|<[!?].*?(?:>|$)|['"]use strict['"];?/gs;

/**
 * What people wrote of a file: all of it, unless it is minified by its name, or because its lines are far longer than anyone
 * writes. Then it is the lines that are not, where they were; null if there are none.
 */
export function withoutMinified(path: string, text: string): string | null {
  if (minifiedName.test(path)) return null;
  if (text.length < shortestMinified || !squeezed.has(posix.extname(path).toLowerCase())) return text;
  if (!hasLongLines(text)) return text;
  const rest = text.replace(minifiedLine, (line) => {
    const short = shortenRuns(line);
    return short.length > maxLineByHand ? "" : short;
  });
  return /\p{L}/u.test(rest.replace(saysNothing, "")) ? rest : null;
}

/** On the average. */
function hasLongLines(text: string): boolean {
  const maxLines = text.length / maxAverageLineLength;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (++lines > maxLines) return false;
  }
  return true;
}
