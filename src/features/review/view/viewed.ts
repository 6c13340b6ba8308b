import type { ReviewFile } from "../operation.ts";

const stored = "pommel.viewed";

/** Marks that are kept: those of reviews long past go first. */
const maxKept = 2000;

/** What was done to a file, in few characters: another change of it has not been viewed. FNV-1a of 32 bits. */
export function makeViewedMark({ path, status, hunks }: ReviewFile): string {
  let hash = 0x811c9dc5;
  const text = JSON.stringify([
    path,
    status,
    hunks.flatMap(({ lines }) => lines.map(({ mark, text }) => mark + text)),
  ]);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${path} ${(hash >>> 0).toString(36)} ${text.length}`;
}

const readMarks = (): string[] => JSON.parse(localStorage.getItem(stored) ?? "[]") as string[];

export const isViewed = (mark: string): boolean => readMarks().includes(mark);

/** Keeps in this browser whether a change of a file was viewed. */
export function keepViewed(mark: string, isViewed: boolean): void {
  const others = readMarks().filter((known) => known !== mark);
  localStorage.setItem(stored, JSON.stringify((isViewed ? [...others, mark] : others).slice(-maxKept)));
}
