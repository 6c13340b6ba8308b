import { closest, distance } from "fastest-levenshtein";
import { PommelError } from "../../project/errors.ts";
import { languageIds, resolveLanguage } from "./index.ts";

/**
 * The ids of languages that people name by id, name or extension, without duplicates.
 * @throws PommelError `usage` for one that is not known
 */
export function languageIdsOf(names: readonly string[]): string[] {
  return [...new Set(names.map(languageIdOf))];
}

function languageIdOf(name: string): string {
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
