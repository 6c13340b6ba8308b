import { getOrCreate, sortByCount } from "../../base/multimap.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import type { AttributionBasis } from "../../protocol/values.ts";
import type { BlameRange, BlameSummary, PersonLines, SessionLines } from "./operation.ts";

export function summariseBlame(ranges: readonly BlameRange[]): BlameSummary {
  const counts = { agent: 0, human: 0, unknown: 0, before_agents: 0 };
  const sessions = new Map<string, SessionLines>();
  const models = new Map<string, { model: string; lines: number }>();
  const persons = new Map<string | null, PersonLines>();
  for (const range of ranges) {
    const lines = range.last_line - range.first_line + 1;
    counts[range.author] += lines;
    const { author, session_id, session_title, agent, turn, model, person } = range;
    if (author !== "agent") {
      const known = getOrCreate(persons, person, () => ({ person, human: 0, unknown: 0, before_agents: 0 }));
      known[author] += lines;
      continue;
    }
    if (session_id !== null) {
      const make = () => ({ session_id, session_title, agent, turns: [], lines: 0 });
      const known = getOrCreate<string, SessionLines>(sessions, session_id, make);
      known.lines += lines;
      if (turn !== null && !known.turns.includes(turn)) known.turns.push(turn);
    }
    if (model !== null) getOrCreate(models, model, () => ({ model, lines: 0 })).lines += lines;
  }
  for (const { turns } of sessions.values()) turns.sort((a, b) => a - b);
  return {
    lines: counts.agent + counts.human + counts.unknown + counts.before_agents,
    ...counts,
    by_session: sortByCount(sessions, ({ lines }) => lines),
    by_model: sortByCount(models, ({ lines }) => lines),
    by_person: sortByCount(persons, ({ human, unknown, before_agents }) => human + unknown + before_agents),
  };
}

/** What a verdict rests on, in a sentence; docs/why.md has the same table. */
const sentences: Readonly<Record<AttributionBasis, string>> = {
  written: "Word for word in a tool call, and it showed up in the file while the call ran.",
  written_unseen: "Word for word in a tool call; nobody watched the file.",
  written_elsewhen: "Word for word in a tool call, though it showed up at another time than the call says.",
  in_command: "Word for word in a command, or in a patch that it applied.",
  elsewhere: "Word for word in a call or script of the session that names another file.",
  replied: "Word for word in the code of an agent's reply: a person pasted it.",
  ran: "It showed up while a command or tool of the agent ran that may write this file.",
  named: "The file was written by a command of the agent that names it.",
  generated: "A code generator that the agent ran writes files of such names.",
  installed: "A package manager that the agent ran writes such lines.",
  replaced:
    "A replacement that the agent ran (sed, perl, a tool that renames) makes this line of the one before.",
  brought: "A command of the agent moved or copied it here from where the agent had made it.",
  formatted: "It says the same as a line of a tool call, in another form.",
  moved: "It was there before in another place or form, and keeps its author.",
  inherited: "It comes from a commit that this one replaced or contains, and keeps its author.",
  alone: "It showed up while no agent was writing this file.",
  absence: "No tool call holds it, and no command that an agent ran can have written it.",
  patched: "It came with a patch that an agent applied, and that no recorded session made.",
  verbatim: "Word for word in a tool call, but too short or too late to be sure.",
  command: "A command or tool of an agent may have written it, or a person.",
  several: "Equal lines are there several times, an agent wrote one, and perhaps a person.",
  root: "The first commit: nothing shows since when it was there.",
  not_here: "The commit was not made here, and no session that is stored wrote it.",
  not_covered: "No session of that time is stored.",
  left_out: "It may be in the part of a very long call that is not stored.",
  none: "There is no evidence.",
};

export function explainAuthor({ author, basis, said_by, how, hint }: LineAuthor): string {
  if (said_by === "note") return "Another tool's note on the commit says so.";
  if (author === "before_agents")
    return "Older than the first session in the project, before which none is missing, or than any agent.";
  if (hint !== null) return "There is no evidence, but the commit's message or notes name an agent.";
  if (basis !== null) return sentences[basis];
  return how === "none" ? sentences.none : `By ${how}, as another version of Pommel found.`;
}
