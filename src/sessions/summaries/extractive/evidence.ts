import type { TranscriptEntry } from "../../../agents/agent.ts";
import { shortenText } from "../../../base/text/text-size.ts";
import { extractErrorLines, hasFailureReport, isDisplayCommand } from "../../chunks/units/tool-results.ts";
import { DecisionReader } from "../../decisions/find.ts";
import type { Turn } from "../../turn-content.ts";
import { weighProblem, weighResolution } from "../cues.ts";
import { EndingReader, type SessionEnding } from "../ending/closing.ts";
import { type Ask, extractAsk } from "../llm-summary.ts";
import { splitSentences, withoutBoilerplate } from "../prose.ts";
import {
  buildStatement,
  createStatementCollector,
  isSentence,
  Problems,
  type SessionProblem,
  type SummaryStatement,
} from "./problems.ts";

/** The material for a session's summary, gathered turn by turn in bounded memory. */
export interface SummaryEvidence {
  asks: (Ask & { turn: number })[];
  decisions: SummaryStatement[];
  problems: SessionProblem[];
  /** Files that were changed, and how often. */
  files: ReadonlyMap<string, number>;
  ending: SessionEnding;
  /** Open items of the agent's own list, if it wrote that in the last turn. */
  todos: string[];
  /** In how many sentences each word stands, the most of that, and how many sentences there are. */
  wordCounts: ReadonlyMap<string, number>;
  mostFrequent: number;
  sentences: number;
}

/** The most that is kept; beyond it the weaker half is dropped. */
const keep = {
  asks: 400,
  statements: 300,
  words: 20_000,
  files: 2_000,
  commands: 200,
} as const;
/** Shorter sentences say nothing on their own, longer ones are shortened. Content words, characters. */
const minWords = 4;
const maxEvidenceChars = { ask: 400, error: 160, typed: 1_500 } as const;
/** Gathers it turn by turn: every step is one. */
export function* gatherEvidence(
  turns: Iterable<Turn>,
  relativize: (path: string) => string,
): Generator<void, SummaryEvidence, void> {
  const asks: SummaryEvidence["asks"] = [];
  const reader = new DecisionReader();
  const decisions = createStatementCollector<SummaryStatement>(keep.statements);
  const problems = new Problems();
  const ending = new EndingReader();
  const files = new Map<string, number>();
  const wordCounts = new Map<string, number>();
  const commands = new Map<string, string>();
  let todos: { turn: number; open: string[] } = { turn: 0, open: [] };
  let order = 0;
  let mostFrequent = 0;

  for (const turn of turns) {
    if (turn.abandoned) continue;
    ending.read(turn);
    const failed = listFailedUses(turn);
    for (const { text } of reader.read(turn)) decisions.add(buildStatement(text, turn.number, order++, 1));
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "prompt") takePrompt(entry.text, turn.number);
        else if (entry.kind === "text") takeAnswer(entry.text, turn.number);
        else if (entry.kind === "tool_use") takeUse(entry, failed, turn.number);
        else if (entry.kind === "tool_result") takeResult(entry, turn.number);
      }
    }
    yield;
  }
  return {
    asks,
    decisions: decisions.all(),
    problems: problems.listProblems(),
    files,
    ending: ending.get(),
    todos: todos.turn === ending.get().lastTurn ? todos.open : [],
    wordCounts,
    mostFrequent: Math.max(1, mostFrequent),
    sentences: order,
  };

  function takePrompt(text: string, turn: number): void {
    const ask = extractAsk(text, maxEvidenceChars.ask);
    if (ask !== null && asks.length < keep.asks) asks.push({ ...ask, turn });
    // Longer texts are pasted: a plan, a review, a report.
    const isTyped = text.length <= maxEvidenceChars.typed;
    for (const raw of splitSentences(text)) {
      const sentence = withoutBoilerplate(raw) || raw;
      const statement = note(sentence, turn);
      if (statement === null) continue;
      const isQuestion = sentence.endsWith("?");
      const trouble = weighProblem(sentence);
      if (trouble >= (isTyped ? 1 : 2) && !isQuestion) {
        problems.add({ ...statement, weight: trouble });
      }
    }
  }

  function takeAnswer(text: string, turn: number): void {
    for (const raw of splitSentences(text)) {
      const sentence = withoutBoilerplate(raw);
      const statement = sentence === "" ? null : note(sentence, turn);
      if (statement === null) continue;
      const trouble = weighProblem(sentence);
      const isQuestion = sentence.endsWith("?");
      const repair = weighResolution(sentence);
      if (repair > 0) problems.resolve({ ...statement, weight: repair });
      if (trouble >= 2 && !isQuestion) problems.add({ ...statement, weight: trouble });
    }
  }

  function takeUse(
    use: Extract<TranscriptEntry, { kind: "tool_use" }>,
    failed: ReadonlySet<string>,
    turn: number,
  ): void {
    const { command, todos: list } = use.input;
    // Those that never had a result would fill it.
    if (commands.size >= keep.commands) commands.clear();
    if (typeof command === "string") commands.set(use.id, command);
    if (Array.isArray(list)) todos = { turn, open: openTodos(list) };
    if (failed.has(use.id)) return;
    for (const { path, how } of use.files) {
      if (how === "read") continue;
      const name = relativize(path);
      if (files.has(name) || files.size < keep.files) files.set(name, (files.get(name) ?? 0) + 1);
    }
  }

  function takeResult(result: Extract<TranscriptEntry, { kind: "tool_result" }>, turn: number): void {
    const command = commands.get(result.id) ?? null;
    commands.delete(result.id);
    if (command === null || isDisplayCommand(command)) return;
    const name = normalizeCommandName(command);
    if (!result.isError && !hasFailureReport(result.text)) {
      problems.recordSuccess(name, () => buildStatement("passes now", turn, order++, 1));
      return;
    }
    const error = findDistinctiveLine(extractErrorLines(result.text, 1_000));
    if (error === "" || problems.isFailing(name)) return;
    const text = `\`${shortenText(name, 60)}\`: ${shortenText(error, maxEvidenceChars.error)}`;
    // The agent's explanation counts for more than the output.
    problems.recordFailure(name, buildStatement(text, turn, order++, 1));
  }

  function note(sentence: string, turn: number): SummaryStatement | null {
    if (!isSentence(sentence)) return null;
    const statement = buildStatement(sentence, turn, order, 0);
    if (statement.words.size < minWords) return null;
    order++;
    for (const word of statement.words) {
      const count = (wordCounts.get(word) ?? 0) + 1;
      if (count > 1 || wordCounts.size < keep.words) wordCounts.set(word, count);
      if (count > mostFrequent) mostFrequent = count;
    }
    return statement;
  }
}

/** The facts from tool uses that belong in a summary. */

/** Characters of a command that identify it. */
const maxNameLength = 300;

/** A command without the parts that vary from try to try: its directory, and filters on its output. */
function normalizeCommandName(command: string): string {
  const line = command.slice(0, maxNameLength).trim().split("\n", 1)[0]!.replace(/\s+/g, " ");
  const parts = line.replace(/^(?:cd \S+ ?(?:&&|;) ?)+/, "").split("|");
  while (parts.length > 1 && /^ ?(?:tail|head|grep)\b/.test(parts.at(-1)!)) parts.pop();
  return parts
    .join("|")
    .replace(/ ?2>&1 ?$/, "")
    .trim();
}

/** The first line that says where, or else the first that does not only say that there was an error. */
function findDistinctiveLine(lines: string): string {
  const all = lines.split("\n").map((line) => line.trim());
  const says = all.filter(
    (line) =>
      !/^(?:.*\b(?:WARN|INFO|DEBUG)\b.*|Exit code \d+|\[\S+\] ERROR task failed|make.*Error \d+|FAIL)$/.test(
        line,
      ),
  );
  return says.find((line) => /:\d+[: ]/.test(line)) ?? says[0] ?? "";
}

function listFailedUses(turn: Turn): Set<string> {
  const failed = new Set<string>();
  for (const { entries } of turn.lines) {
    for (const entry of entries) if (entry.kind === "tool_result" && entry.isError) failed.add(entry.id);
  }
  return failed;
}

function openTodos(list: readonly unknown[]): string[] {
  return list.slice(0, 50).flatMap((item) => {
    if (typeof item !== "object" || item === null || !("content" in item) || !("status" in item)) return [];
    return typeof item.content === "string" && item.status !== "completed" ? [item.content] : [];
  });
}
