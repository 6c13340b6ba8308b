import type { TranscriptEntry } from "../../../agents/agent.ts";
import { parseQuestions } from "../../questions.ts";
import type { Turn } from "../../turn-content.ts";

/** How a session ended, as far as its turns show it. */
export interface SessionEnding {
  /** What the agent said last, the latest last: the texts of its last turn with words, up to `keptTexts`. */
  texts: string[];
  /** The turn that they are of; 0: the agent said nothing. */
  turn: number;
  /** The turns that were asked, in all. */
  lastTurn: number;
  /** The prompt of the last turn. */
  lastPrompt: string;
  /** What the agent ran or changed after its last words. */
  actsAfter: boolean;
  /** The closing text of the turn with words before that one; null: there is none. */
  before: { text: string; turn: number } | null;
  /** The heading of a plan that nobody answered to the end, "" where it has none; null: no plan waits. */
  plan: string | null;
  /** Questions with options to choose from that nobody answered. */
  questions: string[];
}

const keptTexts = 3;
/** A command of the client, which asks the agent for nothing. */
export const isOfClient =
  /^\s*\/(?:clear|compact|model|exit|quit|cost|status|usage|help|resume|config|memory|login|logout|context|mcp|doctor|ide|permissions|export|rename|fast)\s*$/;

/** A call that puts a plan before the person. */
const proposesPlan = /^(?:ExitPlanMode|exit_plan_mode)$/;
const planHeading = /^\s*#\s+(?:Plan:?\s+)?(.{3,120})/;

/** Reads turns in order, and holds no more of them than their last words. */
export class EndingReader {
  private ending: SessionEnding = {
    texts: [],
    turn: 0,
    lastTurn: 0,
    lastPrompt: "",
    actsAfter: false,
    before: null,
    plan: null,
    questions: [],
  };
  /** Of the last call that asks the person. */
  private asked: string | null = null;
  private planHeading = "";

  read(turn: Turn): void {
    const ending = this.ending;
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
        this.readWaiting(entry);
        if (entry.kind === "prompt" && !isOfClient.test(entry.text)) {
          ending.lastTurn = Math.max(ending.lastTurn, turn.number);
          ending.lastPrompt = entry.text;
        } else if (entry.kind === "text" && entry.text.trim() !== "") {
          if (ending.turn !== turn.number) {
            const closing = ending.texts.at(-1);
            if (closing !== undefined) ending.before = { text: closing, turn: ending.turn };
            ending.texts = [];
          }
          ending.turn = turn.number;
          ending.texts.push(entry.text);
          if (ending.texts.length > keptTexts) ending.texts.shift();
          ending.actsAfter = false;
        } else if (entry.kind === "tool_use" && ending.turn === turn.number) ending.actsAfter = true;
      }
    }
  }

  /** A client that goes on in a new session answers as if the person had refused. */
  private readWaiting(entry: TranscriptEntry): void {
    const { ending } = this;
    if (entry.kind === "prompt") this.planHeading = "";
    if (entry.kind === "prompt" || entry.kind === "text") {
      ending.plan = null;
      ending.questions = [];
    } else if (entry.kind === "tool_use") {
      const text = entry.input.plan ?? entry.input.content;
      if (typeof text === "string") this.planHeading = planHeading.exec(text)?.[1] ?? this.planHeading;
      ending.plan = proposesPlan.test(entry.tool) ? this.planHeading : null;
      ending.questions = parseQuestions(entry.input).map((question) => question.text);
      this.asked = entry.id;
    } else if (entry.kind === "tool_result" && entry.id === this.asked && !entry.isError) {
      ending.plan = null;
      ending.questions = [];
    }
  }

  /** Of the turns that were read. */
  get(): SessionEnding {
    return this.ending;
  }
}
