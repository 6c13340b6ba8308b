import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { countSessions } from "../../store/memory/sessions/session-index.ts";
import { countSessionsByToken, hasModelTopics, saveTopics } from "../../store/memory/sessions/summaries.ts";
import { isPlan } from "../summaries/llm-summary.ts";
import { type PromptedTurn, readStoredTurns } from "../turn-content.ts";
import { extractKeyPhrases, type TopicText } from "./key-phrases.ts";

/**
 * Finds and stores what a session is about, from its stored turns. Doing it again changes nothing; what a language model
 * named stays.
 * @param turns of the session, as they are stored
 */
export function storeTopics(
  memory: Memory,
  session: SessionRecord,
  turns: Iterable<PromptedTurn> = readStoredTurns(memory, session.id),
): void {
  if (hasModelTopics(memory, session.id)) return;
  const topics = extractKeyPhrases(collectTopicSources(session, turns), {
    all: countSessions(memory),
    holding: (stems) => countSessionsByToken(memory, stems),
  });
  saveTopics(memory, session.id, topics);
}

/** Names of branches that say nothing about their work. */
const mainBranch = /^(?:main|master|trunk|develop|HEAD)$/;
/** A title of what was done ends with its branch. */
const branchAtEnd = /\s\(\S+\)$/;

function collectTopicSources(
  { title, titleSource, branch }: SessionRecord,
  turns: Iterable<PromptedTurn>,
): TopicText[] {
  const named = (title ?? "").replace(branchAtEnd, "");
  const sources: TopicText[] = [{ text: named, by: "title" }];
  if (branch !== null && !mainBranch.test(branch))
    sources.push({ text: branch.split("/").at(-1)!.replace(/[-_]+/g, " "), by: "title" });
  for (const { number, abandoned, lines, record } of turns) {
    if (abandoned) continue;
    const isTitle = titleSource === "prompt" && !isPlan(record.prompt);
    if (number > 0)
      sources.push({ text: isTitle ? without(record.prompt, named) : record.prompt, by: "person" });
    for (const { entries } of lines)
      for (const entry of entries) if (entry.kind === "text") sources.push({ text: entry.text, by: "agent" });
  }
  return sources;
}

/** A prompt without the title that was made of it: the same words in both are said once. */
function without(prompt: string, title: string): string {
  const beginning = title.replace(/…$/, "").slice(1, 40).toLowerCase();
  const at = beginning === "" ? -1 : prompt.toLowerCase().indexOf(beginning);
  return at < 1 ? prompt : prompt.slice(0, at - 1) + prompt.slice(at - 1 + title.length);
}
