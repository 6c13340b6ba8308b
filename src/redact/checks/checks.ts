import type { CheckName } from "../patterns/default-pattern.ts";
import { hasContrast, isHash, lineBefore, looksLikeWords, looksRandom } from "./randomness.ts";

/** A pattern's match. */
interface Place {
  text: string;
  /** Start of the match. */
  from: number;
  /** Bounds of the secret within it. */
  start: number;
  end: number;
}

/** Whether a match is a secret rather than a variable, a type, a label or an example. */
export const checks: Record<CheckName, (place: Place) => boolean> = {
  password: (place) => {
    const value = secretOf(place);
    if (isNoValue(value)) return false;
    return isQuoted(place) ? isPassword(value) : isBarePassword(place, value);
  },
  token: (place) => {
    const value = secretOf(place);
    if (isNoValue(value) || isReference(value)) return false;
    const style = styleOf(place);
    if (!isQuoted(place) && !endsPlainly(place)) return false;
    if (style === "environment") return isEnvironmentValue(value);
    return isToken(value, isQuoted(place));
  },
  random: (place) => hasContrast(secretOf(place)),
  flag: (place) => {
    const value = secretOf(place);
    if (isNoValue(value) || isReference(value)) return false;
    const before = place.text.slice(Math.max(0, place.from - 40), place.from);
    if (/^(?:authorization|login)/i.test(place.text.slice(place.from, place.from + 13))) {
      return !looksLikeWords(value);
    }
    return /(?:^|[\s"'`[,(])--(?:[a-z0-9]{1,20}-){0,3}$/i.test(before) && isFlagValue(value);
  },
  url: (place) => {
    const value = secretOf(place);
    const password = value.slice(value.indexOf(":") + 1);
    return !/[$%][A-Z_]{2,}|\$\w|[*|^]|\.\.\.|^[xX]+$|^[0-9]{1,5}\//.test(value) && password !== "";
  },
  cookie: (place) =>
    secretOf(place)
      .split(/;\s*/)
      .some((pair) => {
        const [, name = "", value = ""] = /^([\w.-]*=)?(.*)$/.exec(pair) ?? [];
        return isSessionId(value) || (/sess|token|auth|sid/i.test(name) && isToken(value, true));
      }),
  prose: (place) => {
    const value = secretOf(place).replace(/[.!?:]+$/, "");
    if (isNoValue(value) || isReference(value) || looksLikeWords(value)) return false;
    return value.length >= 4 && /[A-Za-z]/.test(value) && /[0-9!@#%^*+]/.test(value) && !isCodeName(value);
  },
  curl: (place) => {
    const value = secretOf(place);
    if (isNoValue(value) || isNoValue(value.slice(value.indexOf(":") + 1))) return false;
    if (/^-/.test(place.text.slice(place.from)) && /\S/.test(place.text[place.from - 1] ?? " ")) return false;
    return /\b(?:curl|wget|https?|xh|openssl|httpie)\b/.test(lineBefore(place.text, place.from, 300));
  },
  basic: (place) => {
    const decoded = Buffer.from(secretOf(place), "base64").toString("latin1");
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,300}$/.test(decoded);
  },
  pem: (place) => {
    const value = secretOf(place);
    const body = value.slice(value.indexOf("-----", 5) + 5, value.lastIndexOf("-----END"));
    if (/[A-Za-z0-9+/=]{32}/.test(body)) return true;
    // A shortened or made-up key still has its body on lines of its own; code that names both markers has not.
    return body.length < 400 && /^(?:\s|\\+[nr])+[A-Za-z0-9+/=.\s\\]{4,}$/.test(body);
  },
};

/** Whether the value of a revealing name ("db_password", "apiKey") is a secret. */
export function isSecretValue(kind: "password" | "token", value: string): boolean {
  if (value.length < 4 || isNoValue(value)) return false;
  return kind === "password" ? isPassword(value) : !isReference(value) && isToken(value, true);
}

function secretOf({ text, start, end }: Place): string {
  return text.slice(start, end);
}

function isQuoted({ text, start, end }: Place): boolean {
  const mark = text[start - 1];
  if (mark === ">" && text[end] === "<") return true;
  return (mark === '"' || mark === "'" || mark === "`") && (text[end] === mark || text[end] === "\\");
}

/** Variables, templates, references to a secret store, and placeholders. */
function isNoValue(value: string): boolean {
  return (
    /\$\{|\{\{|<%|#\{|%\(|\$\(|\uE000|^\$[A-Za-z_]|^%[A-Za-z_]+%$|^[{<[].*[}>\]]$|^[@!]\w+$|^&|^\*[a-z]/i.test(
      value,
    ) ||
    /^(?:[a-z0-9+]+:\/\/|\.{0,2}\/|~\/|arn:|op:\/\/|vault:|ssm:|env:|file:|process\.env|os\.|ENV\[|secrets?\.)/i.test(
      value,
    ) ||
    /^[\w.$]+\(.*\)$|^[~^v=<>]*[0-9]+(?:\.[0-9]+){1,3}(?:-[a-z0-9.]+)?$/.test(value) ||
    /^(?:x+|\*+|\.+|-+|_+|•+|\?+|#+)$|x{4,}|\*{3,}|\.{3,}|…/i.test(value) ||
    /(?:^|[^a-z])(?:your|my)?[-_ ]?(?:example|placeholder|dummy|sample|change[-_ ]?me|replace[-_ ]?me|redacted|masked|insert[-_ ])|^(?:your|my)[-_ ]|[-_ ]here$/i.test(
      value,
    ) ||
    noValues.has(value.toLowerCase())
  );
}

const noValues = new Set(
  (
    "string str text bool boolean number int integer any unknown object void never bytes char varchar null nil none " +
    "undefined true false yes no on off empty missing required optional hidden invalid incorrect wrong valid default " +
    "enabled disabled password passwd passphrase pwd pass secret secrets token tokens key apikey api_key credential " +
    "credentials username user email login input field value auth test todo tbd redacted masked example sample dummy " +
    "confidential unset self this new current confirm current-password new-password option[string] array list"
  ).split(" "),
);

/** `response.token`, `config["token"]`, `getToken()`: code, not a value. */
function isReference(value: string): boolean {
  return (
    /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+!?$/.test(value) &&
    !/^[^.]*[0-9][^.]*\.[^.]*[0-9]/.test(value)
  );
}

function isPassword(value: string): boolean {
  if (/\s/.test(value)) {
    // A passphrase is plain words; a label or a message begins with a capital, has punctuation or little words.
    return (
      /^[a-z]{3,}(?: [a-z]{3,}){3,}$/.test(value) &&
      !/\b(?:the|must|your|enter|not|and|for|with|has|was|are|can|should|please|this|that|password|secret)\b/.test(
        value,
      )
    );
  }
  if (/^\p{Lu}\p{Ll}+$/u.test(value) || /^[\p{L}]*[^\x00-\x7F][\p{L}]*$/u.test(value)) return false;
  // "user-password", "auth.password.required", "passwordHash": a name of the thing, not the thing.
  return !(/pass(?:word|wd|phrase|code)?|secret|token|pwd|key|credential/i.test(value) && isName(value));
}

/** Joined words without a digit. */
function isName(value: string): boolean {
  return /^[A-Za-z]+(?:[._:/-][A-Za-z]+)+$/.test(value) || /^[A-Za-z]+[a-z][A-Z][A-Za-z]*$/.test(value);
}

type Style = "environment" | "line" | "code";

/** How the name before a value is written: `DB_PASSWORD=`, `  password:` alone on its line, or anything else. */
function styleOf({ text, from, start }: Place): Style {
  let nameStart = from;
  while (nameStart > 0 && from - nameStart < 80 && /[A-Za-z0-9_.-]/.test(text[nameStart - 1]!)) nameStart--;
  const name = text.slice(nameStart, start);
  if (/^[A-Z][A-Z0-9_]*=\\?["'`]?$/.test(name) && !/[$.({]/.test(text[nameStart - 1] ?? ""))
    return "environment";
  const before = lineBefore(text, nameStart, 31);
  return /^(?:\s*[0-9]+[\t→|:])?[+\- \t]*(?:export |set |ENV )?$/.test(before) ? "line" : "code";
}

function isBarePassword(place: Place, value: string): boolean {
  const { text, from, start, end } = place;
  const after = text[end] ?? "\n";
  if (/[([{<]/.test(after) || isReference(value) || /^[\d.:]+$/.test(value)) return false;
  const style = styleOf(place);
  if (style === "environment") return isEnvironmentValue(value);
  const mixed = /[A-Za-z]/.test(value) && /[0-9!@#%^*+~]/.test(value) && !looksLikePath(value);
  if (!mixed) return false;
  const spaced = /\s$/.test(text.slice(from, start));
  const plainEnd =
    /[\r\n]/.test(after) || (after === " " && /^ *(?:#|$|\n)/m.test(text.slice(end, end + 40)));
  if (spaced) return style === "line" && plainEnd && !/[;,)]$/.test(value);
  // Connection strings, query strings, command lines: `user=sa;password=...;`, `?user=a&password=...`.
  const inList =
    /[;&?]$/.test(text.slice(Math.max(0, from - 40), from).replace(/[\w .-]*$/, "")) || /[;&]/.test(after);
  if (inList || (style === "line" && plainEnd)) return true;
  return (plainEnd || /["'`\s\\]/.test(after)) && !isCodeName(value);
}

/** `hash2`, `password1`, `newPw2`: names of variables as well as passwords. */
function isCodeName(value: string): boolean {
  return (
    /^[A-Za-z_$]{1,24}[0-9]{0,1}$/.test(value) ||
    /^[a-z]+(?:[A-Z][a-z]+)+[0-9]?$/.test(value) ||
    (/^[A-Za-z]+(?:[_-][A-Za-z0-9]{2,})+$/.test(value) && looksLikeWords(value))
  );
}

function looksLikePath(value: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)+$/.test(value) && looksLikeWords(value);
}

/** A UUID identifies a session but does not grant access to one. */
function isSessionId(value: string): boolean {
  return (
    looksRandom(value) &&
    !looksLikeWords(value) &&
    !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
  );
}

/** In `NAME=value`, variables need `$`: anything else is literal. */
function isEnvironmentValue(value: string): boolean {
  return (
    value.length >= 4 &&
    !/^[0-9.]+$/.test(value) &&
    !isReference(value) &&
    !/[([{]/.test(value) &&
    !isName(value)
  );
}

function isFlagValue(value: string): boolean {
  return (
    value.length >= 4 &&
    !value.startsWith("-") &&
    !/^[0-9]+$/.test(value) &&
    (/[0-9!@#%^*+]/.test(value) || looksRandom(value)) &&
    !looksLikeWords(value)
  );
}

function isToken(value: string, quoted: boolean): boolean {
  const minLength = quoted ? 8 : 12;
  if (value.length < minLength || !/[A-Za-z]/.test(value) || looksLikePath(value)) return false;
  if (isHash(value)) return value.length >= 32;
  // Without separators, words cannot be recognised.
  if (quoted && /^(?:[a-z0-9]{20,}|[A-Z0-9]{20,})$/.test(value)) return true;
  return looksRandom(value) && !looksLikeWords(value);
}

/** Whether the value is not continued by an expression. */
function endsPlainly({ text, end }: Place): boolean {
  return !/[([{<$]/.test(text[end] ?? "");
}
