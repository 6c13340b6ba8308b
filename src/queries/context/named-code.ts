import { roleOf } from "../../search/code/path-role.ts";
import type { CodeIndex } from "../../store/index/code-index.ts";
import { definitionsOf } from "../../store/index/code-lookup.ts";
import { identifiersOf, nameKey } from "../../text/tokens.ts";
import type { ToTell } from "./quote.ts";

/*
 * Where the code is that a prompt names. What a prompt only describes is left to a search: the best place for "fix the
 * merge conflicts" is nowhere. Measured by `npm run bench:context`.
 */

/** `retryLimit`, `RetryLimit`, `retry_limit`: written so, a word means code. */
const spelledAsCode = /[a-z\d][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z\d]_[A-Za-z\d]/;
/** A prompt that names more is a plan, whose writer knew the code. */
const mostNames = 8;
/** A name of more definitions does not say which is meant. */
const mostDefinitions = 2;
const mostTold = 3;
/** A longer prompt is a document. Characters. */
const mostOfPrompt = 10_000;

/** The definitions of what a prompt names, in the order of the names; of a file that it names as well nothing. */
export function codeNamed(index: CodeIndex, prompt: string): ToTell[] {
  // A link is an address, not a name.
  const text = prompt.slice(0, mostOfPrompt).replace(/https?:\/\/\S+/g, " ");
  const names = [...new Set(identifiersOf(text))].filter((name) => spelledAsCode.test(name));
  if (names.length > mostNames) return [];
  return names.flatMap((name) => definitionsToTell(index, name, text)).slice(0, mostTold);
}

function definitionsToTell(index: CodeIndex, name: string, prompt: string): ToTell[] {
  const found = definitionsOf(index, [nameKey(name)], 4 * mostDefinitions)
    .filter((definition) => definition.name === name)
    .flatMap(({ rowid }) => index.chunk(rowid) ?? [])
    .filter(({ path }) => !["test", "docs", "generated"].includes(roleOf(path)));
  if (found.length > mostDefinitions) return [];
  return found
    .filter(({ path }) => !prompt.includes(path.slice(path.lastIndexOf("/") + 1)))
    .map(({ path, signature, startLine, endLine }) => ({
      ref: `code:${path}#${name}`,
      kind: "Code",
      quote: signature || name,
      place: `${path}:${startLine}-${endLine}`,
      why: `the prompt names ${name}`,
      score: null,
    }));
}
