import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { languageIds, languages, resolveLanguage } from "../../src/code/languages/index.ts";
import { chunk } from "../support/chunk-fixture.ts";
import { Mutator } from "./mutate.ts";
import type { Tally } from "./tally.ts";

/** Cuts mutated sources into chunks, with every grammar and every text format. */
export async function fuzzSources(
  tally: Tally,
  cases: number,
  { seed, deadline }: { seed: number; deadline: number },
): Promise<void> {
  const samples = samplesByLanguage();
  const every = [...samples.values()].flat();
  const withGrammar = languages.map(({ id }) => id);
  for (let at = seed; tally.cases < cases && performance.now() < deadline; at++) {
    const mutator = new Mutator(at);
    const language = mutator.chance(0.9) ? withGrammar[at % withGrammar.length]! : mutator.pick(languageIds);
    const own = samples.get(language) ?? every;
    // Some are of another language.
    let text = mutator.pick(mutator.chance(0.95) ? own : every);
    for (let left = 1 + mutator.below(6); left > 0; left--) text = mutator.text(text);
    tally.cases++;
    // Reports of the progress, which a timer makes, come in between.
    if (tally.cases % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    await tally.attempt(at, async () => {
      const { chunks, lines } = await chunk(`src/${language}.x`, language, text);
      if (chunks.length === 0) throw new Error(`${language}: no chunk`);
      for (const { startLine, endLine } of chunks)
        if (!(startLine >= 1 && endLine >= startLine && endLine <= lines))
          throw new Error(`${language}: ${startLine}-${endLine} of ${lines} lines`);
    });
  }
}

/** The texts of the languages' own tests. */
function samplesByLanguage(): Map<string, string[]> {
  const dir = fileURLToPath(new URL("../../src/code/languages", import.meta.url));
  const found = new Map<string, string[]>();
  for (const name of readdirSync(dir).filter((file) => /^samples-.*\.test\.ts$/.test(file))) {
    const parts = readFileSync(join(dir, name), "utf8").split(/^(?:describe|test)\("/m);
    for (const part of parts.slice(1)) {
      const language = resolveLanguage(part.slice(0, part.indexOf('"')).split(/[ :,]/)[0]!);
      const texts = [...part.matchAll(/`((?:[^`\\]|\\.){60,})`/g)].map(([, text]) => text!);
      if (language !== null) found.set(language, [...(found.get(language) ?? []), ...texts]);
      else found.set(name, [...(found.get(name) ?? []), ...texts]);
    }
  }
  return found;
}
