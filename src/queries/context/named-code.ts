import { roleOf } from "../../search/code/path-role.ts";
import type { ChunkId, SearchableIndex, StoredChunk } from "../../store/index/port.ts";
import { identifiersOf, nameKey } from "../../text/tokens.ts";
import type { Injection } from "./quote.ts";

/*
 * The locations of code that a prompt names. A mere description is left to a search: the best place for "fix the merge
 * conflicts" is nowhere. Measured by `npm run bench:context`.
 */

/** `retryLimit`, `RetryLimit`, `retry_limit`: written so, a word means code. */
const spelledAsCode = /[a-z\d][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z\d]_[A-Za-z\d]/;
/** A prompt with more names is a plan, and its writer knows the code. */
const maxNames = 8;
/** A name with more definitions is ambiguous. */
const maxDefinitions = 2;
const maxInjected = 3;
/** A longer prompt is a document. Characters. */
const maxPromptLength = 10_000;

/**
 * The definitions of the names in a prompt, in the order of the names, except those in a file that the prompt names
 * too.
 */
export async function codeNamed(index: SearchableIndex, prompt: string): Promise<Injection[]> {
  // A link is an address, not a name.
  const text = prompt.slice(0, maxPromptLength).replace(/https?:\/\/\S+/g, " ");
  const names = [...new Set(identifiersOf(text))].filter((name) => spelledAsCode.test(name));
  if (names.length === 0 || names.length > maxNames) return [];
  const definitions = await index.definitions([...new Set(names.map(nameKey))], 4 * maxDefinitions);
  const chunks = new Map<ChunkId, StoredChunk>();
  for (const chunk of await index.chunks(definitions.map(({ id }) => id))) chunks.set(chunk.id, chunk);
  return names
    .flatMap((name) => {
      const places = definitions
        .filter((definition) => definition.name === name)
        .flatMap(({ id }) => chunks.get(id) ?? []);
      return definitionsToTell(name, places, text);
    })
    .slice(0, maxInjected);
}

function definitionsToTell(name: string, places: readonly StoredChunk[], prompt: string): Injection[] {
  const found = places.filter(({ path }) => !["test", "docs", "generated"].includes(roleOf(path)));
  if (found.length > maxDefinitions) return [];
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
