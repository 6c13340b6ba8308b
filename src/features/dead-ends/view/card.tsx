import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { wordDeadEnd } from "../words.ts";

/** What was tried about something, and given up. */
export function DeadEndCard({ words }: { words: string }) {
  const { data } = useAnswer("deadEnds", words === "" ? null : { about: words, limit: 1 });
  const end = data?.dead_ends[0];
  return end === undefined ? null : (
    <Part as="panel" title="Dead end">
      <Worded document={[wordDeadEnd(end)]} />
    </Part>
  );
}
