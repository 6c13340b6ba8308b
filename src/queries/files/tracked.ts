import { gitFields, plain } from "../../git/git.ts";

/** Files that git tracks, and those that it neither tracks nor ignores; relative to `dir`. @throws GitFailure */
export async function filesIn(dir: string, signal?: AbortSignal): Promise<string[]> {
  const files = new Set<string>();
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  for await (const path of gitFields(dir, [...plain, ...args], signal)) if (path !== "") files.add(path);
  return [...files];
}
