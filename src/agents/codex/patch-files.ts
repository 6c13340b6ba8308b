/** A line of an `apply_patch` envelope that a file begins with. */
export const patchHeader = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
/** Where the file of the line before goes. */
export const patchMove = /^\*\*\* Move to: (.+)$/;

/**
 * The files that are there after a patch, as it names them. No more is needed where time counts: what it does to their
 * lines tells `parsePatch`.
 */
export function filesInPatch(text: string): string[] {
  const files: string[] = [];
  for (const line of text.split("\n")) {
    const written = line.trimEnd();
    const [, verb, path] = patchHeader.exec(written) ?? [];
    if (verb !== undefined && verb !== "Delete") files.push(path!.trim());
    const [, target] = patchMove.exec(written) ?? [];
    if (target !== undefined && files.length > 0) files[files.length - 1] = target.trim();
  }
  return [...new Set(files)];
}
