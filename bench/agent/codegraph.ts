import { execFileSync } from "node:child_process";
import { readByGrep } from "./grep.ts";
import type { Reading } from "./reading.ts";
import type { Sources } from "./sources.ts";

/** Asks codegraph (npm: @colbymchenry/codegraph) about a question, as its MCP tool `codegraph_explore` does. */
export type Explore = (question: string) => string;

/** @param program its `codegraph`; it indexes the files at `root` now */
export function exploreTool(program: string, root: string): Explore {
  const run = (...args: string[]) =>
    execFileSync(program, args, {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, CODEGRAPH_TELEMETRY: "0" },
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64e6,
    });
  run("init", root);
  return (question) => run("explore", "--path", root, question);
}

/** Lines read before and after a place that an answer names without its code. */
const around = 10;
/** Such places that are read. */
const maxPlaces = 10;

/** An agent with codegraph: it asks once, reads around the places that the answer only names, then greps. */
export function readByExplore(
  question: string,
  { sources, reading, explore }: { sources: Sources; reading: Reading; explore: Explore },
): void {
  const answer = explore(question);
  reading.print(answer);
  for (const [file, lines] of linesShown(answer)) reading.sawPrinted(file, lines);
  for (const { file, line } of placesNamed(answer)) {
    if (reading.isOver()) return;
    if (!reading.hasSeen(file, line, line)) reading.read(file, line - around, line + around);
  }
  if (!reading.isOver()) readByGrep(question, sources, reading, "windows");
}

/** Files are headings, "**`src/a.ts`**", above their lines, "12\tcode". */
function linesShown(answer: string): Map<string, number[]> {
  const shown = new Map<string, number[]>();
  let file: string | null = null;
  for (const line of answer.split("\n")) {
    file = /^\*\*`([^`]+)`\*\*/.exec(line)?.[1] ?? file;
    const number = /^(\d+)\t/.exec(line)?.[1];
    if (file !== null && number !== undefined) shown.set(file, [...(shown.get(file) ?? []), Number(number)]);
  }
  return shown;
}

function placesNamed(answer: string): { file: string; line: number }[] {
  const places = [...answer.matchAll(/\(([^()\s:]+):(\d+)\)/g)];
  return places.slice(0, maxPlaces).map(([, file, line]) => ({ file: file!, line: Number(line) }));
}
