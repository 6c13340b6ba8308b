/** Patches in a text, as `git apply`, `patch` and agents' own tools take them. */

/** A changed file: lines as in a diff, with a sign each. */
export interface PatchedFile {
  path: string;
  lines: string[];
}

const header = /^\+\+\+ (?:b\/)?([^\t\n]+)/;
const envelope = /^\*\*\* (?:Add|Update) File: (.+)$/;

export function patchesIn(text: string): PatchedFile[] {
  if (!text.includes("@@") && !text.includes("*** Add File")) return [];
  const files: PatchedFile[] = [];
  let file: PatchedFile | null = null;
  let before = "";
  for (const line of text.split("\n")) {
    const [, path] = (before.startsWith("--- ") ? header.exec(line) : envelope.exec(line)) ?? [];
    before = line;
    if (path !== undefined) {
      // The header's first line looks like a removed one.
      if (file?.lines.at(-1)?.startsWith("--- ")) file.lines.pop();
      file = { path: path.trim(), lines: [] };
      if (file.path !== "/dev/null") files.push(file);
    } else if (/^(?:diff --git|\*\*\* End Patch|PATCH$|EOF$)/.test(line)) file = null;
    else if (file && /^[-+ ]/.test(line)) file.lines.push(line);
  }
  return files.filter(({ lines }) => lines.some((line) => line.startsWith("+")));
}
