/** A file of the build: beside the built programs; from the sources, that of the last build. */
export function locateBuiltFile(name: string): URL {
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? `../../dist/${name}` : `./${name}`, here);
}
