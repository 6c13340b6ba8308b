import { hasContrast, isLikelyWords, sliceLineBefore } from "./checks/randomness.ts";
import { hasPasswordShape, isNoValue } from "./checks/values.ts";
import { columnKeywords, findSecretColumns } from "./columns.ts";
import { findIssuedKey, issuers } from "./issuers.ts";
import type { SecretSpan } from "./patterns/rule.ts";
import { expandWordList } from "./words.ts";

/** Secrets that a keyword announces for the lines or fields around it, which one regular expression cannot list. */
interface SecretStructure {
  name: string;
  type: string;
  keywords: readonly string[];
  /** @returns also where to continue the search */
  find(text: string, start: number): { spans: SecretSpan[]; searched: number };
}

/** How far around its keyword a structure is searched. Characters. */
const maxStructureChars = 4_000;

export const structures: readonly SecretStructure[] = [
  {
    name: "kubernetes-secret",
    type: "KUBERNETES_SECRET",
    keywords: [
      "kind: secret",
      '"kind": "secret"',
      '"kind":"secret"',
      '\\"kind\\": \\"secret\\"',
      '\\"kind\\":\\"secret\\"',
    ],
    find(text, start) {
      // "kind: SecretStore" is something else.
      if (/^[^s]*secret[a-z]/i.test(text.slice(start, start + 40))) return { spans: [], searched: start };
      const from = text
        .slice(Math.max(0, start - maxStructureChars), start)
        .split(/^---$/m)
        .at(-1)!;
      const after = text.slice(start, start + maxStructureChars).split(/^(?:---|\$ .*)$/m)[0]!;
      const begin = start - from.length;
      const spans = findSecretData(from + after).map((span) => move(span, begin));
      return { spans, searched: start + after.length };
    },
  },
  {
    name: "json-web-key",
    type: "PRIVATE_KEY",
    keywords: ['"kty"'],
    find(text, start) {
      const begin = Math.max(0, start - maxStructureChars);
      const object = text.slice(begin, start + maxStructureChars);
      const parts = findSecretGroups(
        object,
        /"(?:d|p|q|dp|dq|qi|k)\\?"\s{0,4}:\s{0,4}\\?"(?<secret>[A-Za-z0-9_-]{16,})/dg,
      );
      return { spans: parts.map((span) => move(span, begin)), searched: start + maxStructureChars };
    },
  },
  {
    name: "password-on-line",
    type: "PASSWORD",
    keywords: [
      "password",
      "passwd",
      "passphrase",
      "login",
      "creds",
      "credential",
      "_secret",
      " secret ",
      ...expandWordList("foreignPassword"),
    ],
    find: findPasswordsOnLine,
  },
  {
    name: "recovery-codes",
    type: "RECOVERY_CODE",
    keywords: [
      "recovery code",
      "backup code",
      "scratch code",
      "recovery_code",
      "backup_code",
      "recoverycode",
      "backupcode",
      "recovery-code",
      "backup-code",
      "emergency code",
    ],
    find: findRecoveryCodes,
  },
  { name: "secret-column", type: "SECRET", keywords: columnKeywords, find: findSecretColumns },
  { name: "named-by-issuer", type: "API_KEY", keywords: issuers, find: findIssuedKey },
];

/** The values in `data:` and `stringData:`, in YAML and in JSON. */
function findSecretData(document: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const value = /:[ \t]{1,4}["']?(?<secret>[^\s"'{}]{4,})/dg;
  for (const block of document.matchAll(
    /^([ \t]*)(?:stringData|data):[ \t]*\r?\n((?:\1[ \t]+[^\n]*(?:\n|$))+)/gm,
  )) {
    spans.push(
      ...findSecretGroups(block[2]!, value).map((span) =>
        move(span, block.index + block[0].length - block[2]!.length),
      ),
    );
  }
  for (const block of document.matchAll(/\\?"(?:stringData|data)\\?"\s{0,4}:\s{0,4}\{([^{}]*)\}/g)) {
    const begin = block.index + block[0].length - block[1]!.length - 1;
    const quoted = /:\s{0,4}\\?"(?<secret>[^"\\]{4,})/dg;
    spans.push(...findSecretGroups(block[1]!, quoted).map((span) => move(span, begin)));
  }
  return spans.filter(({ start, end }) => !isNoValue(document.slice(start, end)));
}

/** Passwords by their shape near a word for one, before and after it. */
function findPasswordsOnLine(text: string, start: number): { spans: SecretSpan[]; searched: number } {
  const from = start - sliceLineBefore(text, start, 80).length;
  const line = text.slice(from, start + 80).split("\n", 1)[0]!;
  const spans = findSecretGroups(
    line,
    /(?<=^|[\s"'`(:：「])(?<secret>[A-Za-z0-9][A-Za-z0-9!@#%*_+^&~-]{7,60})(?=[\s"'`,;)」]|[.!?](?:\s|$)|$)/dg,
  ).filter(({ start: begin, end }) => {
    const token = line.slice(begin, end);
    return /[!@#%*^&~]/.test(token) && hasPasswordShape(token);
  });
  return { spans: spans.map((span) => move(span, from)), searched: from + line.length };
}

/** A code, and what stands between one and the next in a list. */
const code = /(?:[A-Za-z0-9]{4,8}(?:[ -][A-Za-z0-9]{4,8}){1,7}|[A-Za-z0-9]{8,20})(?![A-Za-z0-9])/y;
const between = /(?:and |or |[\s"'`,;:=[\](){}*•|>-]|\\[nrt]|(?<![A-Za-z0-9])[0-9]{1,2}[.)])*/y;

function findRecoveryCodes(text: string, start: number): { spans: SecretSpan[]; searched: number } {
  const spans: SecretSpan[] = [];
  let at =
    start +
    /^[a-z]+[ _-]?codes?(?:\\?["'`])?(?: (?:are|is|follow))?/i.exec(text.slice(start, start + 40))![0].length;
  for (let count = 0; count < 50; count++) {
    between.lastIndex = at;
    at += between.exec(text)![0].length;
    code.lastIndex = at;
    const found = code.exec(text)?.[0];
    // Words are no codes: a sentence goes on, or the list ends.
    if (found === undefined || !isCode(found)) break;
    spans.push({ start: at, end: at + found.length, next: at + found.length });
    at += found.length;
  }
  return { spans, searched: at };
}

function isCode(text: string): boolean {
  if (isNoValue(text)) return false;
  if (/^[0-9]{4,8}(?:[ -][0-9]{4,8})*$/.test(text)) return true;
  const parts = text.split(/[ -]/);
  if (!/[0-9]/.test(text)) return parts.length > 1 && /^[A-Z-]+$/.test(text) && !isLikelyWords(text);
  return parts.length > 1 || hasContrast(text) || !isLikelyWords(text);
}

function findSecretGroups(text: string, pattern: RegExp): SecretSpan[] {
  return Array.from(text.matchAll(pattern), (match) => {
    const [start, end] = match.indices!.groups!.secret!;
    return { start, end, next: end };
  });
}

function move({ start, end, next }: SecretSpan, by: number): SecretSpan {
  return { start: start + by, end: end + by, next: next + by };
}
