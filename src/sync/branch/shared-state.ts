import { manifestPath, placeOf } from "./layout.ts";
import { entryOf, type Manifest, writeManifest } from "./manifest.ts";
import { joinTexts } from "./shared-file.ts";

/** All that is shared: texts by path, without the manifest, which follows from them. */
export type SharedState = ReadonlyMap<string, string>;

/**
 * Two states as one: a join of a semilattice, so that whoever merges with whom, in whatever order and however often,
 * all come to the same, and nothing is lost.
 */
export function mergeStates(a: SharedState, b: SharedState): SharedState {
  const merged = new Map(a);
  for (const [path, text] of b) {
    const other = merged.get(path);
    merged.set(path, other === undefined ? text : joinTexts(placeOf(path), other, text));
  }
  merged.delete(manifestPath);
  return merged;
}

/** The manifest of a state, made anew. */
export function manifestOf(state: SharedState): string {
  const manifest: Manifest = new Map();
  for (const [path, text] of state) {
    const entry = entryOf(path, text);
    if (entry !== null) manifest.set(path, entry);
  }
  return writeManifest(manifest);
}
