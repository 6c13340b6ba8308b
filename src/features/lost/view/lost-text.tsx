import { useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { wordLost } from "../words.ts";

/** Texts that are listed. */
const shownTexts = 12;

/** Text of a file that an edit replaced or a checkout took away, and that no commit holds. It is looked for when asked. */
export function LostText({ path }: { path: string }) {
  const [isOpen, open] = useState(false);
  return (
    <details class="history" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Text that is in no commit</summary>
      {isOpen && <LostTexts path={path} />}
    </details>
  );
}

function LostTexts({ path }: { path: string }) {
  const { data, error, reload } = useAnswer("lostText", { file: path, limit: shownTexts });
  if (error) return <Failure error={error} onRetry={reload} />;
  return data === null ? <Loading /> : <Worded document={wordLost(data)} />;
}
