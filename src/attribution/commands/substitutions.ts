import { RE2JS, RE2JSException } from "re2js";

/** Replacements that a command makes in files: `sed -i s/a/b/`, `perl -pi -e s/a/b/`. */
export type Substitution = (line: string) => string;

const inPlace = /\b(?:sed\b[^|;&\n]*?\s(?:-[a-zA-Z]*i|--in-place)|perl\s+-[a-zA-Z]*p?i)/;
const expression = /(?:^|[\s'";])s([/|#,@!])((?:\\.|(?!\1)[^\n])+?)\1((?:\\.|(?!\1)[^\n])*?)\1([gI\d]*)/g;

/** More are no use. */
const most = 20;

export function substitutionsIn(command: string): Substitution[] {
  if (!inPlace.test(command)) return [];
  const isExtended = /\bperl\b|\bsed\b[^|;&\n]*\s-[a-zA-Z]*[Er]/.test(command);
  return [...command.matchAll(expression)]
    .slice(0, most)
    .flatMap(([, sign = "/", from = "", to = "", flags = ""]) => {
      try {
        const pattern = from.replaceAll(`\\${sign}`, sign);
        const compiled = RE2JS.compile(
          isExtended ? pattern : extendedOf(pattern),
          flags.includes("I") ? RE2JS.CASE_INSENSITIVE : 0,
        );
        const replacement = asReplacement(to.replaceAll(`\\${sign}`, sign));
        return [
          (line: string) => {
            const matcher = compiled.matcher(line);
            return flags.includes("g") ? matcher.replaceAll(replacement) : matcher.replaceFirst(replacement);
          },
        ];
      } catch (error) {
        if (error instanceof RE2JSException) return [];
        throw error;
      }
    });
}

/** What a command that does nothing but replace words puts in their place; null for other commands. */
export function replacementsIn(command: string): string[] | null {
  const parts = command.split(/&&|\|\||;(?![^'"]*['"]\s)|\n/).map((part) => part.trim());
  if (
    !parts.every((part) => part === "" || inPlace.test(part) || /^(?:cd|git\s+(?:diff|status))\b/.test(part))
  )
    return null;
  const texts = [...command.matchAll(expression)].map(([, , , to = ""]) => to.replace(/\\(.)/g, "$1"));
  return texts.length > 0 && texts.every((text) => text.length > 2 && !text.includes("&")) ? texts : null;
}

/** A basic regular expression as an extended one: there brackets and signs mean themselves without a backslash. */
const extendedOf = (basic: string) =>
  basic.replace(/\\([(){}|+?<>])|([(){}|+?])/g, (_, escaped?: string, plain?: string) =>
    escaped === undefined ? `\\${plain}` : escaped === "<" || escaped === ">" ? "\\b" : escaped,
  );

/** `\1` and `&` as the library wants them. */
const asReplacement = (to: string) =>
  to.replace(/\\(\d)|\\(.)|([$&])/g, (_, group?: string, escaped?: string, sign?: string) =>
    group !== undefined ? `$${group}` : sign === "&" ? "$&" : sign === "$" ? "$$" : (escaped ?? ""),
  );
