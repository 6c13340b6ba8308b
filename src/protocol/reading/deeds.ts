import type { SessionResponse } from "../operations/sessions.ts";

type Outline = Pick<SessionResponse["turns"][number], "files" | "commands">;

/** What was done in a turn, in a few words: "explored 4 files, changed 2, ran 3, 1 failed, fixed". */
export function deedsOf({ files, commands: { ran, failed, fixed } }: Outline): string[] {
  const changed = files.filter(({ how }) => how !== "read").length;
  const explored = files.length - changed;
  return [
    ...(explored > 0 ? [`explored ${explored}`] : []),
    ...(changed > 0 ? [`changed ${changed}`] : []),
    ...(ran > 0 ? [`ran ${ran}`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(fixed > 0 ? [fixed === failed ? "fixed" : `${fixed} fixed`] : []),
  ];
}
