import { useAnswer } from "../../../page/api/use-answer.ts";
import { AskBox, FilterChips } from "../../../page/components/chips.tsx";
import { Worded } from "../../../page/components/document.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { goTo, linkTo, type ViewProps } from "../../../page/router.ts";
import type { DeadEnd } from "../operation.ts";
import { howToCheck, kindNames, noneFound, wordDeadEnd } from "../words.ts";

const kinds = Object.keys(kindNames) as DeadEnd["kind"][];
/** Keys that follow one another faster are one question. Milliseconds. */
const typedMs = 150;

/** What was tried here, failed and was dropped: `pm dead-ends`. */
export default function DeadEnds({ query }: ViewProps) {
  const about = query.get("q") ?? "";
  const kind = kinds.find((one) => one === query.get("kind"));
  const { data, error, reload } = useAnswer(
    "deadEnds",
    { ...(about !== "" && { about }), ...(kind !== undefined && { kind: [kind] }), limit: 100 },
    { keepsFormer: true, typedMs },
  );
  return (
    <>
      <div class="view-head">
        <h1>Dead ends</h1>
        <FilterChips
          filters={[{ name: "kind", label: "All kinds", values: kinds.map((one) => [one, kindNames[one]]) }]}
        />
      </div>
      <AskBox
        label="An error, a command, a name"
        words={about}
        onWords={(words) => goTo(linkTo("/dead-ends", { q: words, kind }), { replace: true })}
      />
      {error ? (
        <Failure error={error} onRetry={reload} />
      ) : data === null ? (
        <Loading />
      ) : data.dead_ends.length === 0 ? (
        <Empty title={noneFound(data.sessions)} />
      ) : (
        <>
          {!data.is_checked && (
            <p class="faint">
              <Inline text={howToCheck} />
            </p>
          )}
          <Worded document={data.dead_ends.map(wordDeadEnd)} />
        </>
      )}
    </>
  );
}
