import type { Turn } from "../../turn-content.ts";

/** How a session ended, as far as its turns show it. */
export interface Ending {
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
}

const keptTexts = 3;
/** A command of the client, which asks the agent for nothing. */
export const isOfClient =
  /^\s*\/(?:clear|compact|model|exit|quit|cost|status|usage|help|resume|config|memory|login|logout|context|mcp|doctor|ide|permissions|export|rename|fast)\s*$/;

/** Reads turns in order, and holds no more of them than their last words. */
export class EndingReader {
  private ending: Ending = {
    texts: [],
    turn: 0,
    lastTurn: 0,
    lastPrompt: "",
    actsAfter: false,
    before: null,
  };

  read(turn: Turn): void {
    const ending = this.ending;
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
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

  /** Of the turns that were read. */
  get(): Ending {
    return this.ending;
  }
}
