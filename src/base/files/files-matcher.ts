import picomatch from "picomatch";

/** Whether a path is named, is below a named one or matches a glob; null if none was named. */
export function makeFilesMatcher(files: readonly string[]): ((path: string) => boolean) | null {
  if (files.length === 0) return null;
  return picomatch(
    files.flatMap((file) => [file, `${file.replace(/\/+$/, "")}/**`]),
    { dot: true },
  );
}
