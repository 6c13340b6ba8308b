/** A diff of one hunk, as the client shows it: lines at both ends that stay are its context. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const [old, made] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && old[head] === made[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, made.length) - head && old.at(-1 - tail) === made.at(-1 - tail)) tail++;
  const name = path.split("/").at(-1);
  return [
    `Index: ${name}`,
    "=".repeat(67),
    `--- ${name}\tCurrent`,
    `+++ ${name}\tProposed`,
    `@@ -${old.length === 0 ? 0 : 1},${old.length} +${made.length === 0 ? 0 : 1},${made.length} @@`,
    ...made.slice(0, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...made.slice(head, made.length - tail).map((line) => `+${line}`),
    ...made.slice(made.length - tail).map((line) => ` ${line}`),
    "",
  ].join("\n");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
