/** FNV-1a (Fowler, Noll, Vo), 32 bits: the hash of no text, and one with another UTF-16 unit behind it. */
export const fnvBasis = 0x811c9dc5;
export const addToFnv1a = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** FNV-1a of a text's UTF-16 units: 32 bits, from 0. */
export function hashFnv1a(text: string): number {
  let hash = fnvBasis;
  for (let i = 0; i < text.length; i++) hash = addToFnv1a(hash, text.charCodeAt(i));
  return hash >>> 0;
}
