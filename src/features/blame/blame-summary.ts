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
  written: "The text is in a tool call, and appeared in the file while the call ran.",
  written_unseen: "The text is in a tool call. Pommel was not watching the file when it was written.",
  written_elsewhen: "The text is in a tool call, but appeared in the file at another time.",
  in_command: "The text is in a command that the agent ran, or in a patch that the command applied.",
  elsewhere: "The text is in a tool call or script of the session that names another file.",
  replied: "The text is in an agent's reply, and a person pasted it.",
  ran: "The line appeared while a command or tool of the agent ran that may write this file.",
  named: "The line appeared while a command of the agent ran that names this file.",
  generated: "A code generator that the agent ran writes files with such names.",
  installed: "A package manager that the agent ran writes such lines.",
  replaced:
    "A replacement that the agent ran (sed, perl, a tool that renames) changed the earlier line into this one.",
  brought: "A command of the agent moved or copied the line here. The agent had written it.",
  formatted: "The line says the same as a line of a tool call, in another layout.",
  moved: "The line was in the code before, in another place or layout, and keeps its author.",
  inherited: "The line comes from a commit that this one replaced or contains, and keeps its author.",
  alone: "The line appeared while no agent was writing this file.",
  absence: "No tool call contains the line, and no command that an agent ran can have written it.",
  patched: "The line came with a patch that an agent applied, and that no recorded session made.",
  verbatim: "The text is in a tool call, but it is too short, or appeared too late, to be sure.",
  command: "A command or tool of an agent may have written the line. A person may have written it as well.",
  several:
    "An agent wrote an equal line, and perhaps a person did too, or only a small part of a long line was changed.",
  root: "The line is from the repository's first commit, and nothing shows when it was written.",
  not_here: "The commit was not made here, and no stored session wrote the line.",
  not_covered: "No session of that time is stored.",
  left_out: "The line may be in the part of a very long tool call that is not stored.",
  none: "There is no evidence.",
};

export function explainAuthor({ author, basis, said_by, how, hint }: LineAuthor): string {
  if (said_by === "note") return "Another tool's note on the commit says so.";
  if (author === "before_agents")
    return "The line is older than the first session in the project and no earlier session is missing, or it is older than any agent.";
  if (hint !== null)
    return "There is no evidence in any session, but the commit's message or notes name an agent.";
  if (basis !== null) return sentences[basis];
  return how === "none" ? sentences.none : `By ${how}, according to another version of Pommel.`;
}
