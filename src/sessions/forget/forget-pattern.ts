import { PommelError } from "../../base/errors.ts";
import { compileExpression } from "../../base/text/pattern.ts";
import { listChunksOfSession } from "../../store/memory/chunks/chunks.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { leaveNoTrace } from "../../store/memory/privacy/forget.ts";
import { listSessionIdsAfter } from "../../store/memory/privacy/rewrite.ts";
import { findSessionById } from "../../store/memory/sessions/sessions.ts";
import { listSummaries } from "../../store/memory/sessions/summaries.ts";
import { redactLooseNotes, redactWholeSession } from "../scrub/redact-session.ts";
import {
  cleanLines,
  readCheckpointTexts,
  readEventTexts,
  redactCheckpoints,
  redactEvents,
} from "../scrub/redact-stored.ts";
import { readStoredTurns } from "../turn-content.ts";
import type { SessionWork } from "../work.ts";

/** Examples of matches: their number and length. Characters. */
const maxExamples = 20;
const maxExampleLength = 120;

/** What a pattern would remove: matches, and the sessions, turns, chunks and notes that hold them. */
export async function previewPattern(memory: Memory, pattern: string): Promise<ForgetReport> {
  const cutter = createPatternCutter(pattern);
  const report: ForgetReport = {
    sessions: 0,
    turns: 0,
    chunks: 0,
    annotations: 0,
    matches: 0,
    examples: [],
  };
  for (const id of listSessionIdsAfter(memory, 0)) {
    countInSession(memory, id, cutter, report);
    // Others wait for the process as well.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const { note } of listStoredNotes(memory)) {
    if (countMatches(cutter, report, note)) report.annotations++;
  }
  readCheckpointTexts(memory, (text) => countMatches(cutter, report, text));
  readEventTexts(memory, (text) => countMatches(cutter, report, text));
  return report;
}

function countInSession(memory: Memory, id: number, cutter: PatternCutter, report: ForgetReport): void {
  const session = findSessionById(memory, id);
  if (session === null) return;
  const before = report.matches;
  for (const text of [session.title, session.cwd, session.branch]) {
    if (text !== null) countMatches(cutter, report, text);
  }
  for (const { lines, branch } of readStoredTurns(memory, id)) {
    const inTurn = report.matches;
    if (branch !== null) countMatches(cutter, report, branch);
    cleanLines(
      lines,
      (text) => {
        countMatches(cutter, report, text);
        return text;
      },
      { namesToo: true },
    );
    if (report.matches > inTurn) report.turns++;
  }
  for (const { text } of listSummaries(memory, id)) countMatches(cutter, report, text);
  if (report.matches > before) report.sessions++;
  for (const { text } of listChunksOfSession(memory, id)) {
    cutter.cut(text);
    if (cutter.takeCount() > 0) report.chunks++;
  }
}

/** Counts the places in a text, and keeps the first as an example. @returns whether there are any */
function countMatches(cutter: PatternCutter, report: ForgetReport, text: string): boolean {
  const cut = cutter.cut(text);
  const places = cutter.takeCount();
  if (places === 0) return false;
  report.matches += places;
  if (report.examples.length < maxExamples) {
    const start = Math.max(0, findFirstDifference(text, cut) - 30);
    const example = text
      .slice(start, start + maxExampleLength)
      .replace(/\s+/g, " ")
      .trim();
    if (!report.examples.includes(example)) report.examples.push(example);
  }
  return true;
}

function findFirstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

/** Cuts a pattern's matches out of everything. @returns whether the database's log could be emptied */
export async function cutPattern(work: SessionWork, pattern: string, signal?: AbortSignal): Promise<boolean> {
  const { memory } = work;
  const { cut } = createPatternCutter(pattern);
  for (const id of listSessionIdsAfter(memory, 0)) {
    // If stopped halfway, it must be requested again: chunks of a session in progress are made anew then, too.
    const session = findSessionById(memory, id);
    if (session === null) continue;
    const isOld = listChunksOfSession(memory, id, { type: "raw" }).some(({ text }) => cut(text) !== text);
    await redactWholeSession(work, id, {
      clean: cut,
      namesToo: true,
      changedBefore: isOld ? 0 : null,
      signal,
    });
  }
  redactLooseNotes(memory, cut);
  await redactCheckpoints(memory, cut, signal);
  redactEvents(memory, cut);
  return leaveNoTrace(memory);
}

/** Replaces the text that was cut out. */
const forgottenMark = "[FORGOTTEN]";

export interface PatternCutter {
  /** The text with `[FORGOTTEN]` in place of everything that the pattern matches. */
  cut(text: string): string;
  /** Places that were cut out since the last time this was asked. */
  takeCount(): number;
}

/**
 * Cuts a pattern's matches out of texts. Letter case counts as in pattern searches.
 * @throws PommelError `usage` for an invalid pattern, or one that matches the empty text
 */
export function createPatternCutter(pattern: string): PatternCutter {
  const find = createPatternFinder(pattern);
  if (find("").length > 0) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(pattern)} matches empty text, and so everything.`,
      "Use a pattern that matches only what you want to forget.",
    );
  }
  let count = 0;
  const cutPart = (text: string): string => {
    let left = "";
    let at = 0;
    for (const { start, end } of find(text)) {
      if (start === end) continue;
      left += text.slice(at, start) + forgottenMark;
      at = end;
      count++;
    }
    return at === 0 ? text : left + text.slice(at);
  };
  return {
    // Earlier marks are skipped: "gotten" would match them.
    cut: (text) => text.split(forgottenMark).map(cutPart).join(forgottenMark),
    takeCount() {
      const counted = count;
      count = 0;
      return counted;
    },
  };
}

interface TextRange {
  start: number;
  end: number;
}

/** Characters with a meaning of their own in a pattern. */
const syntax = /[\\^$.|?*+()[\]{}]/;

/** Finds a pattern's matches. A literal word is found by the native engine, many times faster. */
function createPatternFinder(pattern: string): (text: string) => TextRange[] {
  if (pattern !== "" && !syntax.test(pattern)) {
    const word = new RegExp(pattern, /\p{Lu}/u.test(pattern) ? "gu" : "giu");
    return (text) =>
      Array.from(text.matchAll(word), ({ 0: found, index }) => ({ start: index, end: index + found.length }));
  }
  const expression = compileExpression(pattern);
  return (text) => {
    const places: TextRange[] = [];
    const matcher = expression.matcher(text);
    while (matcher.find()) places.push({ start: matcher.start(), end: matcher.end() });
    return places;
  };
}

/** What would be removed, or was; `examples` are titles, prompts and notes, for a preview. */
export interface ForgetReport {
  sessions: number;
  turns: number;
  chunks: number;
  annotations: number;
  /** Places where a pattern matches. */
  matches: number;
  examples: string[];
}
