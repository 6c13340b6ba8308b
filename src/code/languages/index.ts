import { closest, distance } from "fastest-levenshtein";
import { PommelError } from "../../base/errors.ts";
import type { Grammar, Language } from "./language.ts";
import { readLanguages } from "./read-languages.ts";
import textFormats from "./text-formats.json" with { type: "json" };

/** An id of `languageIds`: of a language with a grammar, "markdown", a text format, or "text". */
export type LanguageId = string;

/** Every language that is cut by its syntax. */
export const languages: readonly Language[] = readLanguages();

/** Formats that hold scripts, and the language whose grammar reads those. */
const scriptHosts: Readonly<Record<string, string>> = textFormats.scriptHosts;

const markdownExtensions = ["md", "markdown", "mdc", "mkd"];

const languageOfId = new Map(languages.map((language) => [language.id, language]));
const idOfExtension = new Map<string, LanguageId>();
const idOfFilename = new Map<string, LanguageId>(Object.entries(textFormats.filenames));
const idOfInterpreter = new Map<string, LanguageId>();
const idOfName = new Map<string, LanguageId>();

// Text formats have no grammar here and are cut by lines; each has an id, so that a search can be limited to it.
for (const [id, extensions] of Object.entries(textFormats.extensions)) {
  idOfName.set(id, id);
  for (const extension of extensions) idOfExtension.set(extension, id);
}
for (const [alias, id] of Object.entries(textFormats.aliases)) idOfName.set(alias, id);
for (const extension of markdownExtensions) idOfExtension.set(extension, "markdown");
idOfExtension.set("h", "c");
for (const { id, title, aliases = [], extensions, filenames = [], interpreters = [] } of languages) {
  for (const name of [...aliases, title.toLowerCase(), id]) idOfName.set(name, id);
  for (const extension of extensions) idOfExtension.set(extension, id);
  for (const filename of filenames) idOfFilename.set(filename.toLowerCase(), id);
  for (const interpreter of interpreters) idOfInterpreter.set(interpreter, id);
}
for (const name of ["markdown", "md"]) idOfName.set(name, "markdown");
idOfName.set("text", "text");

/** Every id that `detectLanguage` may answer, sorted. */
export const languageIds: readonly LanguageId[] = [...new Set(idOfName.values())].sort();

/** The grammar of a language, or of the scripts that its files hold; null if it is cut by lines or headings. */
export function findGrammar(language: LanguageId): Grammar | null {
  return languageOfId.get(scriptHosts[language] ?? language)?.grammar ?? null;
}

/** Whether only the scripts of such files have a grammar. */
export const isScriptHost = (language: LanguageId): boolean => Object.hasOwn(scriptHosts, language);

/** The id of the language a user means by `name` ("ts", "C++", ".py"), or null. */
export function resolveLanguage(name: string): LanguageId | null {
  const plain = name.trim().toLowerCase().replace(/^\./, "");
  return idOfName.get(plain) ?? idOfExtension.get(plain) ?? null;
}

/** `#!/usr/bin/env -S python3.12 -u` -> python3.12, python. */
function parseInterpreters(firstLine: string): string[] {
  if (!firstLine.startsWith("#!")) return [];
  const words = firstLine.slice(2).trim().split(/\s+/);
  const program = words
    .map((word) => word.split("/").at(-1)!)
    .find((word) => !/^(env|-.*|.*=.*)$/.test(word));
  return program === undefined ? [] : [program, program.replace(/[\d.]+$/, "")];
}

/**
 * The language of a file, by its name, else by its `#!` line; "text" if neither shows it. `.h` is C here:
 * `detectHeaderLanguage` decides whether a repository's headers are C or C++.
 * @param path relative or absolute, `/` between the parts
 * @param firstLine the file's first line, used only if the name is not enough
 */
export function detectLanguage(path: string, firstLine = ""): LanguageId {
  const filename = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const named = idOfFilename.get(filename);
  if (named !== undefined) return named;
  const dot = filename.lastIndexOf(".");
  const byExtension = dot > 0 ? idOfExtension.get(filename.slice(dot + 1)) : undefined;
  if (byExtension !== undefined) return byExtension;
  const prefixed = filename.startsWith("dockerfile.") ? "dockerfile" : undefined;
  if (prefixed !== undefined) return prefixed;
  for (const interpreter of parseInterpreters(firstLine)) {
    const id = idOfInterpreter.get(interpreter);
    if (id !== undefined) return id;
  }
  return "text";
}

/** Whether `.h` means C or C++ among these files: C++ if more of the sources are C++ than C. */
export function detectHeaderLanguage(paths: Iterable<string>): "c" | "cpp" {
  let balance = 0;
  for (const path of paths) {
    if (path.endsWith(".h")) continue;
    const language = detectLanguage(path);
    if (language === "cpp") balance++;
    else if (language === "c") balance--;
  }
  return balance > 0 ? "cpp" : "c";
}

/** Syntax that only C++ has, at the start of a line. */
const cppOnly =
  /^[ \t]*(?:template\s*<|(?:inline )?namespace\b[\w: ]*\{|class\s+[\w ]+[:{]|using\s+(?:namespace\b|\w+\s*=)|(?:public|private|protected)\s*:)/m;

/**
 * The language of one `.h` file.
 * @param usual the language of the repository's headers, see `detectHeaderLanguage`; C by default. A repository of
 *   headers alone does not show it, so plain C++ syntax decides.
 */
export function detectLanguageOfHeader(text: string, usual: "c" | "cpp"): "c" | "cpp" {
  return cppOnly.test(text) ? "cpp" : usual;
}

/**
 * The ids of languages that people name by id, name or extension, without duplicates.
 * @throws PommelError `usage` for one that is not known
 */
export function parseLanguageIds(names: readonly string[]): string[] {
  return [...new Set(names.map(parseLanguageId))];
}

function parseLanguageId(name: string): string {
  const id = resolveLanguage(name);
  if (id !== null) return id;
  const nearest = closest(name, [...languageIds]);
  const suggestion = distance(name, nearest) <= 2 ? `Did you mean ${nearest}? ` : "";
  throw new PommelError(
    "usage",
    `Unknown language: ${name}.`,
    `${suggestion}Known languages: ${languageIds.join(", ")}.`,
  );
}
