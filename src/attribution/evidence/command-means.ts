/** What a shell command may write, judged by its words. */

const takesAnother =
  /\b(?:mv|cp|ln|rm|git|touch|chmod|rsync|patch|unzip|tar|curl|wget|sed|perl|awk|prettier|eslint|biome|gofmt|goimports|black|ruff|rustfmt|fmt|format)\b/;

/** Whether a command makes a file of this path, and neither of another file nor by changing one. */
export function names(command: string, path: string): boolean {
  return (
    command.split(/[\s"'=;|&<>()]+/).some((word) => word.replace(/^\.\//, "") === path) &&
    !takesAnother.test(command)
  );
}

/** Words of commands that write files without naming them. */
const producing =
  /prettier|eslint|biome|black|ruff|rustfmt|gofmt|goimports|isort|fmt|format|gen|scaffold|init|create|new|fix|lint|migrat|update|upgrade|install|make|build|task|mise|just|snapshot|-u\b|script|stash|checkout|restore|apply|rebase|merge|pull/i;

/** The program of a command, or the file that an interpreter runs. */
const running =
  /(?:^|[;&|\n(])\s*(?:(?:sudo|time|python[\d.]*|node|tsx|bun|deno|run|bash|sh|ruby|perl|php)\s+(?:-\S+\s+)*)*([^\s;&|()]+)/g;

/**
 * Whether a command may be about a file: it names it, a directory above it, or no file at all, as formatters and
 * generators may.
 */
export function mayMean(command: string, path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1)!;
  // As a word: data.ts is not a.ts.
  const isNamed = /^[\w.@-]+$/.test(name)
    ? command.split(/[^\w.@-]+/).includes(name)
    : command.includes(name);
  if (isNamed) return true;
  const words =
    command.match(/[\w@.*-]*(?:\/[\w@.*-]+)+\/?|[\w@.-]+\/(?=\s|$)|[\w*-]+\.[A-Za-z]\w{0,5}\b/g) ?? [];
  // What is run is no file that it is run on.
  const isRun = new Set([...command.matchAll(running)].map(([, word]) => word));
  const named = words.filter(
    (word) => !isRun.has(word) && !/(?:^|\/)(?:node_modules|bin|scripts?|tools?)\//.test(word),
  );
  if (named.length === 0) return producing.test(command);
  const extension = /\.\w+$/.exec(path)?.[0] ?? "";
  return named.some((word) => {
    const plain = word
      .replace(/^\.\//, "")
      .replace(/\/?\*.*$/, "")
      .replace(/\/$/, "");
    const folder = word
      .replace(/^(?:\.{1,2}\/)+/, "")
      .replace(/\*.*$/, "")
      .replace(/[^/]*$/, "");
    if (word.includes("*")) return extension !== "" && word.endsWith(extension) && path.includes(folder);
    return word === "./" || (plain !== "" && (path.startsWith(`${plain}/`) || plain === "."));
  });
}
