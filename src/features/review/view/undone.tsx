import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { linkInto, linkToDecision, linkToMemory } from "../../../page/router.ts";
import type { NowResponse } from "../../now/operation.ts";
import { describeUndone } from "../review-words.ts";

/** The decision of another session of which a session's commits took out most lines. */
export function Undone({ session }: { session: NowResponse["to_look_at"][number] & { project: string } }) {
  const { id, project, commits } = session;
  const { data } = useAnswer("undoneDecisions", commits.length === 0 ? null : { id }, {
    place: project,
    asOf: commits.map(({ hash }) => hash).join(),
  });
  const [first] = data?.decisions ?? [];
  if (first === undefined) return null;
  return (
    <a href={linkInto(project, linkToDecision(first) ?? linkToMemory())}>
      <Badge tone="warning">may go against a decision</Badge> <q>{first.text}</q>: {describeUndone(first)}
    </a>
  );
}
