import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { linkToFile } from "../../../page/router.ts";
import { wordWhy } from "../words.ts";

interface WhyProps {
  file: string;
  line: number;
  last: number;
  rev: string | undefined;
}

/** Why a line is there: prompt, decision, commit, earlier versions and what happened since. */
export function Why({ file, line, last, rev }: WhyProps) {
  const { data, error, reload } = useAnswer("why", { file, first_line: line, last_line: last, rev });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={3} />;
  const commit = data.origins.find((origin) => origin.commit?.is_boundary === false)?.commit;
  return (
    <div class="why">
      <h2>{last > line ? `Why lines ${line} to ${last} are there` : `Why line ${line} is there`}</h2>
      {/* The lines themselves are beside it. */}
      <Worded document={wordWhy(data, "person").slice(1)} />
      {commit && (
        <p>
          <a href={`${linkToFile(file, line)}?rev=${commit.hash}^`}>The file before this commit</a>
        </p>
      )}
    </div>
  );
}
