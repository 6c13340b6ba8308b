import type { CommitFileRecord } from "../../store/memory/memory-records.ts";

/** Files that are named before the rest is counted. */
const named = 3;

/** A commit's changes in a line: "3 files, +120 -14: src/a.ts (+80 -2), src/b.ts (+40 -12), logo.png". */
export function diffSummary(files: readonly Omit<CommitFileRecord, "added" | "oldPath">[]): string {
  if (files.length === 0) return "no files";
  const sum = (of: (file: (typeof files)[number]) => number) =>
    files.reduce((total, file) => total + of(file), 0);
  const most = [...files]
    .sort((a, b) => weightOf(b) - weightOf(a) || a.path.localeCompare(b.path))
    .slice(0, named);
  const names = most.map((file) => {
    const change = weightOf(file) === 0 ? "" : ` (${signed(file.insertions, file.deletions)})`;
    return `${file.path}${change}`;
  });
  const rest = files.length - most.length;
  const total = signed(
    sum(({ insertions }) => insertions),
    sum(({ deletions }) => deletions),
  );
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  return `${count}, ${total}: ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

const weightOf = ({ insertions, deletions }: { insertions: number; deletions: number }) =>
  insertions + deletions;

const signed = (insertions: number, deletions: number) => `+${insertions} -${deletions}`;
