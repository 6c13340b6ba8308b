import { execFileSync, type StdioOptions } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a program prints; "" where it fails. */
export function printedBy(program: string, args: readonly string[], cwd: string): string {
  try {
    const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
    return execFileSync(program, args, { cwd, encoding: "utf8", stdio, maxBuffer: 1e8 });
  } catch {
    return "";
  }
}

/** Lines that an agent lets grep print, and that it then reads around each of the best places. */
const grepLines = 50;
const windowLines = 60;

/** What git grep finds, and the windows with most of its lines, sources first. */
function grepWindows(pattern: string, cwd: string, { isSource, windows }: Reading) {
  const found = printedBy("git", ["grep", "-n", "-i", "-I", "-E", pattern], cwd).split("\n").filter(Boolean);
  const counts = new Map<string, { file: string; window: number; lines: number }>();
  for (const row of found) {
    const [, file = "", line = "1"] = /^(.+?):(\d+):/.exec(row) ?? [];
    const window = Math.floor(Number(line) / windowLines);
    const key = `${file}:${window}`;
    const counted = counts.get(key) ?? { file, window, lines: 0 };
    counted.lines++;
    counts.set(key, counted);
  }
  const best = [...counts.values()].sort(
    (a, b) => Number(isSource(b.file)) - Number(isSource(a.file)) || b.lines - a.lines,
  );
  const read = best.slice(0, windows).map(({ file, window }) => {
    const from = window * windowLines;
    const lines = readFileSync(join(cwd, file), "utf8").split("\n");
    const numbered = lines.slice(from, from + windowLines).map((line, i) => `${from + i + 1}\t${line}`);
    return { file, text: numbered.join("\n") };
  });
  return { found, read };
}

interface Reading {
  isSource: (file: string) => boolean;
  windows: number;
}

/** git grep, and what stands around the places with most of its lines; tests last. */
export function grepAndRead(pattern: string, cwd: string, reading: Reading): string {
  const { found, read } = grepWindows(pattern, cwd, reading);
  return [...found.slice(0, grepLines), ...read.map(({ text }) => text)].join("\n");
}

/** The same windows alone, below the names of their files. */
export const readWindows = (pattern: string, cwd: string, reading: Reading): string =>
  grepWindows(pattern, cwd, reading)
    .read.map(({ file, text }) => `${file}\n${text}`)
    .join("\n");

const aroundChars = 200;

/** What stands around a pattern in transcripts, as somebody who keeps them reads it: their lines are too long to be read whole. */
export function grepTranscripts(pattern: string, dir: string): string {
  const found: string[] = [];
  for (const name of readdirSync(dir).sort())
    for (const line of readFileSync(join(dir, name), "utf8").split("\n"))
      for (const { index, 0: match } of line.matchAll(new RegExp(pattern, "gi")))
        found.push(line.slice(Math.max(index - aroundChars, 0), index + match.length + aroundChars));
  return found.slice(0, grepLines).join("\n");
}
