import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { wordHow } from "../words.ts";

const maxShown = 2;

/** Command lines that worked for something; before anything is asked, for what any project is asked for. */
export function RanCard({ words }: { words: string }) {
  const { data } = useAnswer("how", words === "" ? {} : { q: words, limit: maxShown });
  return data?.verdict !== "found" ? null : (
    <Part as="panel" title={words === "" ? "What is run here" : "It ran with"}>
      <Worded document={wordHow(data)} />
    </Part>
  );
}
