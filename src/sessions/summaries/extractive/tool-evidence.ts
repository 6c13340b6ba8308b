import type { Turn } from "../../turn-content.ts";

/** The facts from tool uses that belong in a summary. */

/** Characters of a command that identify it. */
const maxNameLength = 300;

/** A command without the parts that vary from try to try: its directory, and filters on its output. */
export function nameOf(command: string): string {
  const line = command.slice(0, maxNameLength).trim().split("\n", 1)[0]!.replace(/\s+/g, " ");
  const parts = line.replace(/^(?:cd \S+ ?(?:&&|;) ?)+/, "").split("|");
  while (parts.length > 1 && /^ ?(?:tail|head|grep)\b/.test(parts.at(-1)!)) parts.pop();
  return parts
    .join("|")
    .replace(/ ?2>&1 ?$/, "")
    .trim();
}

/** The first line that says where, or else the first that does not only say that there was an error. */
export function distinctiveLine(lines: string): string {
  const all = lines.split("\n").map((line) => line.trim());
  const says = all.filter(
    (line) =>
      !/^(?:.*\b(?:WARN|INFO|DEBUG)\b.*|Exit code \d+|\[\S+\] ERROR task failed|make.*Error \d+|FAIL)$/.test(
        line,
      ),
  );
  return says.find((line) => /:\d+[: ]/.test(line)) ?? says[0] ?? "";
}

export function failedUses(turn: Turn): Set<string> {
  const failed = new Set<string>();
  for (const { entries } of turn.lines) {
    for (const entry of entries) if (entry.kind === "tool_result" && entry.isError) failed.add(entry.id);
  }
  return failed;
}

export function openTodos(list: readonly unknown[]): string[] {
  return list.slice(0, 50).flatMap((item) => {
    if (typeof item !== "object" || item === null || !("content" in item) || !("status" in item)) return [];
    return typeof item.content === "string" && item.status !== "completed" ? [item.content] : [];
  });
}
