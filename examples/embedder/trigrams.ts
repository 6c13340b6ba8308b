import type { Embedder, EmbedderDriver } from "../../src/models/embed/embedder.ts";
import { quantise } from "../../src/models/embed/quantise.ts";

const dimensions = 512;

/**
 * Counts a text's letter trigrams, each in the component that its hash picks (feature hashing; Weinberger et al., 2009).
 * Texts that share words lie near each other, misspelt ones too. It knows nothing of meaning: this is an example.
 */
const trigrams: Embedder = {
  // Raise the number whenever a text would get another vector: stored ones are then made anew.
  id: "trigrams-1",
  dimensions,
  prepare: async () => {},
  embed: async (texts, _kind, signal) => {
    signal?.throwIfAborted();
    return texts.map(vectorOf);
  },
  close: async () => {},
};

/** To use it: move this folder to src/models/embed, add the driver to registry.ts, and its name to `embed.code` in settings.ts. */
export const trigramsDriver: EmbedderDriver = {
  name: "trigrams",
  about: "letter trigrams, on this machine: an example",
  defaultModel: null,
  create: () => trigrams,
  checkAvailability: async () => ({ usable: true, detail: "nothing to run", hint: "" }),
};

/** null for a text without letters: nothing would be near it. */
function vectorOf(text: string): Int8Array | null {
  const counts = new Float32Array(dimensions);
  // A space at either end makes the beginnings and ends of words count.
  const letters = text.trim() === "" ? "" : ` ${text.toLowerCase().replace(/\s+/g, " ")} `;
  for (let i = 0; i + 3 <= letters.length; i++) counts[hash(letters, i) % dimensions]! += 1;
  return quantise(counts.map((count) => Math.log1p(count)));
}

/** FNV-1a of the three characters at `start`. */
function hash(letters: string, start: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < start + 3; i++) value = Math.imul(value ^ letters.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
