/** Prints a table: aligned for a terminal, or as Markdown. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { markdown }: { markdown: boolean },
): void {
  if (markdown) {
    const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
    console.log([line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"));
    return;
  }
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  for (const row of [head, ...rows]) console.log(row.map((cell, i) => cell.padEnd(widths[i]!)).join("  "));
}
