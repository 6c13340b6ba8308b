/** The first line of a file in an `apply_patch` envelope. */
export const patchHeader = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
/** The new path of the preceding file. */
export const patchMove = /^\*\*\* Move to: (.+)$/;

/** The files that exist after a patch. Fast enough for hooks; `parsePatch` parses the changes. */
export function listPatchFiles(text: string): string[] {
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
