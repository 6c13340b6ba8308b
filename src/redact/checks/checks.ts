import type { CheckName } from "../patterns/default-pattern.ts";
import {
  classifyNameStyle,
  hasPlainEnd,
  hasSigns,
  isAtLineStart,
  isBalancedCode,
  isBarePassword,
  isQuoted,
  type MatchSite,
  sliceSecret,
} from "./place.ts";
import {
  hasContrast,
  isHash,
  isJumbled,
  isLikelyRandom,
  isLikelyWords,
  isRandomToken,
  sliceLineBefore,
  stripEncoding,
} from "./randomness.ts";
import {
  hasPasswordShape,
  isCard,
  isCodeName,
  isEnvironmentValue,
  isFlagValue,
  isLikelyPath,
  isLiteral,
  isName,
  isNameInStore,
  isNoValue,
  isPassphrase,
  isPassword,
  isPlainKey,
  isReference,
  isSecretWord,
  isSentence,
  isSessionId,
  isStated,
  isToken,
  isWalletKey,
} from "./values.ts";

/** Whether a match is a secret rather than a variable, a type, a label or an example. */
export const checks: Record<CheckName, (place: MatchSite) => boolean> = {
  password: (place) => {
    const value = sliceSecret(place);
    // What stands between two texts of code: `label: "Password:", hint: "..."`.
    if (isNoValue(value) || /^[,;)\]+.].*[:=([+,.]$/.test(value)) return false;
    return isQuoted(place) ? isPassword(value) : isBarePassword(place, value);
  },
  token: (place) => {
    const value = sliceSecret(place);
    if (isNoValue(value) || isReference(value)) return false;
    if (
      /\barn:[a-z:]*$/i.test(
        sliceLineBefore(place.text, place.from, 200).replace(/[\w-]*:[\w-]*:[\w-]*:$/, ""),
      )
    )
      return false;
    const style = classifyNameStyle(place);
    const before = sliceLineBefore(place.text, place.from, 40);
    if (
      /public_?key$/i.test(before) ||
      (isHash(value) && /(?:checksum|hash|digest|sha[0-9]*)[/_.-]?$/i.test(before))
    )
      return false;
    if (!isQuoted(place) && !hasPlainEnd(place)) return false;
    if (style === "environment") return isEnvironmentValue(value);
    return isToken(value, isQuoted(place));
  },
  random: (place) => hasContrast(sliceSecret(place)),
  flag: (place) => {
    const value = sliceSecret(place);
    const before = place.text.slice(Math.max(0, place.from - 40), place.from);
    const isLogin = /^(?:authorization|login)/i.test(place.text.slice(place.from, place.from + 13));
    if (!isLogin && !/(?:^|[\s"'`[,(])--?[a-z0-9_-]{0,36}$/i.test(before)) return false;
    if (isNoValue(value) || isReference(value)) return false;
    return isLogin ? !isLikelyWords(value) : isFlagValue(value);
  },
  url: (place) => {
    const value = sliceSecret(place);
    const password = value.slice(value.indexOf(":") + 1);
    if (/^(?:pass|password|passwd|pwd|secret|changeme)$/i.test(password)) return false;
    // Defaults of a database on one's own machine: `postgres:postgres@localhost`.
    const isLocal = /^@(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)\b/.test(
      place.text.slice(place.end, place.end + 24),
    );
    if (isLocal && value === `${password}:${password}` && /^[a-z]+$/.test(password)) return false;
    return !/[$%][A-Z_]{2,}|\$\w|\*\*|^\*|[|^]|\.\.\.|^[xX]+$|^[0-9]{1,5}\//.test(value) && password !== "";
  },
  cookie: (place) =>
    sliceSecret(place)
      .split(/;\s*/)
      .some((pair) => {
        const [, name = "", value = ""] = /^([\w.-]*=)?(.*)$/.exec(pair) ?? [];
        return isSessionId(value) || (/sess|token|auth|sid/i.test(name) && isToken(value, true));
      }),
  prose: (place) => {
    const value = sliceSecret(place).replace(/[.!?:]+$/, "");
    if (isNoValue(value) || isReference(value) || isLikelyWords(value)) return false;
    // A test that passed: `PASS src/login2.test.ts`.
    if (/^[\w.-]+(?:\/[\w.-]+)+$/.test(value)) return false;
    return value.length >= 4 && /[A-Za-z]/.test(value) && /[0-9!@#%^*+]/.test(value) && !isCodeName(value);
  },
  curl: (place) => {
    const value = sliceSecret(place);
    if (isNoValue(value) || isNoValue(value.slice(value.indexOf(":") + 1))) return false;
    if (/^-/.test(place.text.slice(place.from)) && /\S/.test(place.text[place.from - 1] ?? " ")) return false;
    // A command may go on behind a backslash.
    const before = place.text.slice(Math.max(0, place.from - 600), place.from).replace(/\\\r?\n/g, " ");
    return /\b(?:curl|wget|https?|xh|openssl|httpie)\b/.test(sliceLineBefore(before, before.length, 600));
  },
  basic: (place) => {
    const decoded = Buffer.from(sliceSecret(place), "base64").toString("latin1");
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,300}$/.test(decoded);
  },
  literal: (place) => isLiteral(sliceSecret(place)),
  word: (place) => isSecretWord(sliceSecret(place)),
  "wallet-key": (place) => isWalletKey(sliceSecret(place)),
  stated: (place) => isStated(sliceSecret(place)),
  "password-flag": (place) => {
    const before = place.text.slice(Math.max(0, place.from - 40), place.from + 2);
    return (
      /(?:--(?:[a-z0-9]{1,20}-){0,2}|[\s"'`(,]-[a-z]{0,20})\w{0,2}$/i.test(before) &&
      isStated(sliceSecret(place))
    );
  },
  prefixed: (place) => {
    const value = sliceSecret(place);
    const body = value.slice(value.lastIndexOf("_") + 1);
    if (
      /^(?:toolu|srvtoolu|msg|req|call|chatcmpl|resp|run|thread|asst|file|agent|item|cus|evt|price|prod|proj|usr|user|org|dpl|team|acct|cs|pi|pm|seti|sub|in|ch|sha\d*|phc|pk|fc|rs)[_-]/.test(
        value,
      )
    )
      return false;
    return (
      /[a-z]/.test(body) &&
      /[A-Z]/.test(body) &&
      /[0-9]/.test(body) &&
      isLikelyRandom(body) &&
      !isLikelyWords(body)
    );
  },
  // A name and its value are all that the call or the pair holds: in a longer list the next text is anything.
  pair: (place) => {
    const { text, from, end } = place;
    const isOpened = /[([{]\s*\\{0,3}["'`][\w.-]*$/.test(text.slice(Math.max(0, from - 60), from));
    return (
      isOpened &&
      /^\\{0,3}["'`]\s*(?:[)\]}]|,\s*[^\s"'`])/.test(text.slice(end, end + 12)) &&
      isLiteral(sliceSecret(place))
    );
  },
  issued: (place) => {
    const value = sliceSecret(place);
    // An identifier or a commit.
    if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-9a-f]{40}$/i.test(value)) return false;
    return hasContrast(value) && /[0-9].*[0-9]/.test(value) && !isLikelyWords(value);
  },
  // Behind "here is the key:" it may have any sign; what a sentence or code has there has no such mixture.
  jumble: (place) => {
    const value = sliceSecret(place).replace(/[.,;:!?)]+$/, "");
    const isPath = /^[\w.-]+(?:\/[\w.-]+)+(?::[0-9]|$)/.test(value);
    if (isPath || isNoValue(value) || isReference(value) || isBalancedCode(value) || value.includes("://"))
      return false;
    const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && hasContrast(value);
    return isMixed && isLikelyRandom(value) && !isLikelyWords(value);
  },
  argument: (place) => {
    // The first of several arguments is a user's name: `checkPassword("ann", "...")`.
    const isFirst = /^\\{0,3}["'] {0,2}, {0,2}\\{0,3}["']/.test(place.text.slice(place.end, place.end + 12));
    return !(isFirst && /^[A-Za-z]+$/.test(sliceSecret(place))) && checks.password(place);
  },
  // Nothing but a literal can stand there, of whatever signs.
  defined: (place) => {
    const value = sliceSecret(place);
    if (/your|unique phrase|here$|example|change|placeholder|\{\{|\$\{|<%|^[A-Z_]+$/i.test(value))
      return false;
    return /\s/.test(value)
      ? (value.match(/[^A-Za-z0-9\s]/g)?.length ?? 0) >= 4
      : /[0-9!@#%^*$+]/.test(value);
  },
  "quoted-word": (place) => {
    const value = sliceSecret(place);
    return (
      isLiteral(value) &&
      !/(?:ed|able|ible|ing)$|^(?:too|not|plain|plaintext|weak|strong|bcrypt|argon2?)\b/i.test(value)
    );
  },
  "whole-line": (place) => {
    const value = sliceSecret(place);
    if (isNoValue(value) || isReference(value) || isLikelyPath(value) || isName(value)) return false;
    // Code has its brackets in pairs; a password seldom.
    if (classifyNameStyle(place) === "code" || isBalancedCode(value)) return false;
    return /[A-Za-z]/.test(value) && /[0-9]/.test(value) && /[^A-Za-z0-9]/.test(value) && hasSigns(value);
  },
  column: (place) => {
    const value = sliceSecret(place);
    if (isNoValue(value) || isReference(value) || !isAtLineStart(place)) return false;
    if (/^[-:=]+$/.test(value)) return false;
    return isToken(value, false) || hasPasswordShape(value);
  },
  announced: (place) => {
    const value = sliceSecret(place);
    if (isNoValue(value) || isReference(value) || isLikelyPath(value) || value.includes("://")) return false;
    const line = place.text.slice(place.from, place.start).split(/\r?\n|\\n/, 1)[0]!;
    // "for the [elastic] user": brackets around a name are no code.
    const said = line.replace(/ \[[\w-]+\] /, " ");
    if (/hash|digest|checksum|sha|public|commit|tokens|id\b|[=(){}[\]]/i.test(said)) return false;
    const name = sliceLineBefore(place.text, place.from + 3, 40);
    if (/key$/i.test(name) && isPlainKey(name.slice(0, -3))) return false;
    if (
      !/:[ \t]*$|value:[ \t]*$/.test(
        place.text.slice(place.from, place.start).replace(/(?:\s|\\n|[>|])+$/, ""),
      )
    )
      return false;
    return isToken(value, false) || hasPasswordShape(value);
  },
  joined: (place) => {
    const value = sliceSecret(place);
    if (isNoValue(value) || isLikelyWords(value)) return false;
    if (/^[0-9a-f]{8}-/i.test(value)) return /key/i.test(place.text.slice(place.from, place.start));
    if (/^[0-9a-f]+$|^[0-9A-F]+$/.test(value))
      return value.length >= 32 && /key/i.test(place.text.slice(place.from, place.start));
    return /[a-z]/.test(value) && /[A-Z]/.test(value) && hasContrast(value);
  },
  "password-shape": (place) => hasPasswordShape(sliceSecret(place).replace(/[.!?:]+$/, "")),
  "command-output": (place) => {
    const value = sliceSecret(place);
    // A shell's prompt, and no redirection: what the command printed follows.
    const line = sliceLineBefore(place.text, place.start - 1, 400);
    if (
      !/^(?:[^\s]{0,60}[$%#>]|\([^)]{1,30}\)[^$]{0,40}\$) /.test(line) ||
      />|^(?:ls|git|grep|rg) /.test(line.replace(/^[^ ]* /, ""))
    )
      return false;
    return (
      hasPasswordShape(value) ||
      (value.length >= 16 && isLikelyRandom(value) && !isLikelyWords(value) && !isHash(value))
    );
  },
  phrase: (place) => {
    const value = sliceSecret(place);
    const after = place.text.slice(place.end, place.end + 8);
    return isPassphrase(value, 3) && /^(?:$|[\r\n,.;!"'`)]| and\b| but\b| \()/.test(after);
  },
  typed: (place) => {
    const value = sliceSecret(place);
    if (!isLiteral(value) || /pass(?:word|wd|phrase|code)|^[.#[]/i.test(value)) return false;
    return isPassword(value) && /[0-9!@#%^*+]|\s/.test(value);
  },
  parameter: (place) => {
    const value = sliceSecret(place);
    const before = sliceLineBefore(place.text, place.from, 60);
    if (!/(?:[?&#;]|%3F|%26)(?:amp;)?(?:[a-z]{1,16}[_-]?){0,3}$/i.test(before) || isNoValue(value))
      return false;
    if (/^pass|^pwd/i.test(place.text.slice(place.from, place.from + 4))) return isLiteral(value);
    return isLikelyRandom(value) && !isLikelyWords(value) && value.length >= 12;
  },
  key: (place) => {
    const value = sliceSecret(place);
    const { text, from } = place;
    const before = sliceLineBefore(text, from, 40);
    // "ollama key = ..."
    const isOfService =
      /\b[a-z][\w.]{2,20} $/i.test(before) &&
      !/\b(?:the|this|that|each|every|any|one|same|new|old|which) $/i.test(before);
    if (
      isOfService &&
      /^key/i.test(text.slice(from, from + 3)) &&
      !isPlainKey(before.trim()) &&
      hasPlainEnd(place)
    )
      return (
        value.length >= 32 &&
        isRandomToken(value) &&
        !/(?:^|[_-])[0-9a-f]{32,}$/i.test(value) &&
        !isNoValue(value)
      );
    const [name = ""] = /[A-Za-z0-9_.-]*$/.exec(before)!;
    // "monkey" is no key, and "key" alone may be one of a map.
    if (
      /key/i.test(text.slice(from, from + 3)) &&
      !/[_-]$/.test(name) &&
      !/[A-Za-z0-9]K/.test(text.slice(from - 1, from + 1))
    )
      return false;
    if (isPlainKey(name) || isNoValue(value) || isReference(value) || isNameInStore(value)) return false;
    if (!hasPlainEnd(place)) return false;
    if (isHash(value)) return value.length >= 32;
    return (
      value.length >= 16 &&
      isLikelyRandom(value) &&
      !isLikelyWords(value) &&
      (hasContrast(value) || isJumbled(value))
    );
  },
  output: (place) => {
    const value = sliceSecret(place);
    if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(value)) return !isLikelyWords(value);
    if (isNoValue(value) || /^(?:error|warning|usage|fatal|[$#>%+{<[-])|[:/\\]$|^[a-z]+$/i.test(value))
      return false;
    return /\s/.test(value) ? isPassphrase(value, 3) : !isLikelyPath(value) && !isReference(value);
  },
  code: (place) => {
    const value = sliceSecret(place).replace(/[ -]/g, "");
    const after = place.text.slice(place.end, place.end + 2);
    return (
      !/^(?:[0-9]|\.[0-9]|-[0-9]|[a-z])/i.test(after) &&
      new Set(value).size > 1 &&
      value !== "123456" &&
      value !== "1234"
    );
  },
  signs: (place) => {
    const value = sliceSecret(place);
    // SECRET_KEY of a web framework, whatever it is made of.
    const isFrameworkKey = /secret[_-]?k?$/i.test(
      place.text.slice(Math.max(0, place.from - 8), place.from + 1),
    );
    if (isFrameworkKey && value.length >= 32 && !isNoValue(value) && !isLikelyWords(value)) return true;
    const signs = stripEncoding(value).match(/[^A-Za-z0-9_./:\s-]/g)?.length ?? 0;
    // Two words in a row, each between spaces: a sentence.
    if (/(?:^|\s)[A-Za-z]{2,}\s+[A-Za-z]{2,}(?:\s|[.,;:]|$)/.test(value)) return false;
    if (signs < 4 || isNoValue(value) || value.includes("://")) return false;
    return /[A-Za-z]/.test(value) && /[0-9]/.test(value) && !isBalancedCode(value);
  },
  capitals: (place) => {
    const value = sliceSecret(place).replace(/[.:=]+$/, "");
    const name = place.text.slice(place.from, place.start);
    if (isNoValue(value) || isReference(value) || !hasPlainEnd(place)) return false;
    if (/[\r\n]/.test(name) && !/[\r\n][ \t]*$/.test(name)) return false;
    // One run of letters and digits that is no word, whatever its order.
    if (/^[A-Za-z0-9]{20,200}$/.test(value))
      return (
        !isLikelyWords(value) &&
        (!isHash(value) || !/public/i.test(sliceLineBefore(place.text, place.from, 40)))
      );
    return isToken(value, false) && !/[\r\n]/.test(name);
  },
  framed: (place) =>
    sliceSecret(place)
      .split(/[\s{}[\]()"']+/)
      .some((part) => part.length >= 16 && !isNoValue(part) && !isLikelyPath(part) && isToken(part, true)),
  "stated-code": (place) =>
    checks.code(place) &&
    !/(?:error|exit|status|zip|postal|country|version|area|source|return|colou?r|product)[ _-]?$/i.test(
      sliceLineBefore(place.text, place.from, 20),
    ),
  base32: (place) => {
    const before = place.text[place.start - 1] ?? "";
    if (/[a-z]/i.test(before) || isLikelyWords(sliceSecret(place))) return false;
    if (/^[a-z0-9]{4}(?: [a-z0-9]{4}){3,}$/.test(sliceSecret(place))) return /[0-9]/.test(sliceSecret(place));
    const value = sliceSecret(place).replace(/[ -]/g, "");
    if (isNoValue(value) || !/^(?:[A-Z2-7]{16,}|[a-z2-7]{16,})$/.test(value)) return false;
    return (
      new Set(value).size >= 6 &&
      !isLikelyWords(value.toLowerCase()) &&
      !/[A-Za-z0-9]/.test(place.text[place.end] ?? "")
    );
  },
  groups: (place) => {
    const parts = sliceSecret(place).split(" ");
    return !parts.every((part) => /^[0-9]+$/.test(part)) && !isSentence(parts);
  },
  card: (place) => isCard(sliceSecret(place)) && !/[0-9.-]/.test(place.text[place.start - 1] ?? ""),
  pem: (place) => {
    const value = sliceSecret(place);
    const body = value.slice(value.indexOf("-----", 5) + 5, value.lastIndexOf("-----END"));
    if (/[A-Za-z0-9+/=]{32}/.test(body)) return true;
    // A shortened or made-up key still has its body on lines of its own; code that names both markers has not.
    return body.length < 400 && /^(?:\s|\\+[nr])+[A-Za-z0-9+/=.\s\\]{4,}$/.test(body);
  },
};
