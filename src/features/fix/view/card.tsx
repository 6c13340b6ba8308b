import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { wordFix } from "../words.ts";

const maxAsked = 3;

/** What mended an error. */
export function FixedCard({ words }: { words: string }) {
  const { data } = useAnswer("fix", words === "" ? null : { error: words, limit: maxAsked });
  const fixed = data?.verdict === "found" ? data.errors.find(({ fix }) => fix !== null) : undefined;
  return fixed === undefined ? null : (
    <Part as="panel" title="Likely fix">
      <Worded document={wordFix({ ...data!, errors: [fixed] })} />
    </Part>
  );
}
