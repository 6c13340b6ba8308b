import { cutMiddle } from "../../agents/reading/bounds.ts";
import type { Turn } from "../turn-content.ts";

/** Characters. */
const maxSummaryLength = 12_000;

/** The client's text around the summary, for the agent that continues. */
const preamble = /^\s*This session is being continued from a previous conversation[^\n]*\n?/i;

const goOn =
  /\n[^\S\n]*(?:If you need specific details from before (?:the )?compaction|Please continue the conversation from where we left|Continue (?:the conversation|with the last task)|Recent messages are preserved verbatim)[\s\S]*$/i;

const analysisTag = /<analysis>[\s\S]*?(?:<\/analysis>|(?=<summary>)|$)/gi;

/** As later clients write the same parts. */
const analysisPart = /^\s*Analysis:[^\S\n]*\n[\s\S]*?\n[^\S\n]*(?=Summary:[^\S\n]*\n)/i;

const summaryHeading = /^\s*Summary:[^\S\n]*\n/i;

export interface CompactionSummary {
  text: string;
  /** The last turn before the compaction: the summary covers the turns up to it. */
  upToTurn: number;
}

/** The agent's own summaries, made when its context was compacted; without those that say nothing. */
export function findCompactionSummaries(turns: Iterable<Turn>): CompactionSummary[] {
  const found: CompactionSummary[] = [];
  let upToTurn = 0;
  for (const turn of turns) {
    for (const { entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "prompt") upToTurn = turn.number;
        if (entry.kind !== "summary") continue;
        const text = cleanSummary(entry.text);
        if (text !== "") found.push({ text, upToTurn });
      }
    }
  }
  return found;
}

/** The summary itself: without the instructions to the agent around it, and the thoughts that led to it. */
function cleanSummary(raw: string): string {
  const text = raw
    .replace(preamble, "")
    .replace(goOn, "")
    .replace(analysisTag, "")
    .replace(/<\/?summary>/gi, "")
    .replace(analysisPart, "")
    .replace(summaryHeading, "")
    .trim();
  if (text.length <= maxSummaryLength) return text;
  return cutMiddle(text.replace(/```[\s\S]*?(?:```|$)/g, "[code]"), maxSummaryLength - 100);
}
