import type { Ranked } from "./rank.ts";

/** What a reader should know of why a result is there, strongest first. */
export function reasonsFor({ candidate, signals }: Ranked): string[] {
  const { chunk, defines } = candidate;
  const told: [number, string][] = [
    [signals.definition ?? 0, `defines ${defines[0]?.name ?? chunk.name}`],
    [signals.lexical ?? 0, "its text matches"],
    [signals.file_name ?? 0, `file name matches (${chunk.path.slice(chunk.path.lastIndexOf("/") + 1)})`],
    [signals.name ?? 0, `name matches (${chunk.name})`],
    [signals.directories ?? 0, "its directory matches"],
    [signals.coherence ?? 0, "other parts of the file match too"],
  ];
  return told
    .filter(([weight]) => weight >= 0.1)
    .sort(([a], [b]) => b - a)
    .slice(0, 3)
    .map(([, reason]) => reason);
}
