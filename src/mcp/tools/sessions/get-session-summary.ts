import type { GetSessionSummaryOutput, getSessionSummaryInput } from "../../shapes/shapes-sessions.ts";
import { roomOf } from "../../text/budget.ts";
import { historyLabel, joined, oneLine, quoted } from "../../text/text.ts";
import type { Handler } from "../../tool.ts";
import { headOf, readSession, renderHead, renderSummary, sessionMeant, summaryOf } from "./the-session.ts";

const filesNamed = 12;

export const getSessionSummary: Handler<typeof getSessionSummaryInput, GetSessionSummaryOutput> = async (
  args,
  context,
) => {
  const id = await sessionMeant(context, args.session_id);
  const answer = await readSession(context, id);
  const session = headOf(answer);
  const changed = answer.files.filter(({ how }) => how !== "read");
  const files = changed.slice(0, filesNamed).map(({ path }) => oneLine(path, 160));
  const beside = JSON.stringify([session, files]).length + 200;
  // Each line of it is quoted, and each line end escaped.
  const summary = summaryOf(answer, Math.max(Math.floor((roomOf(args.max_tokens) - beside) * 0.9), 200));
  const behind = summary !== null && summary.up_to_turn < (answer.turns.at(-1)?.number ?? 0);
  const notes = [
    ...(summary === null ? ["Nothing stored to summarise."] : []),
    ...(behind ? [`It continued after turn ${summary.up_to_turn}: get_session has its last turns.`] : []),
    ...(changed.length > files.length ? [`${changed.length - files.length} more changed files.`] : []),
  ];
  return {
    structured: { label: historyLabel, session, summary, files, notes },
    text: joined(
      [
        historyLabel,
        renderHead(session),
        summary && `${renderSummary(summary)}\n${quoted(summary.text)}`,
        files.length > 0 && `Changed: ${files.join(", ")}`,
        ...notes,
      ],
      "\n",
    ),
  };
};
