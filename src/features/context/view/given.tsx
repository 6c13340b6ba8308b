import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { givenParts } from "../../page-parts.ts";
import { wordInjected } from "../words.ts";

const maxListed = 200;

/** The automatic context that agents were given: when, what, and why. */
export function Given() {
  const { data, error, reload } = useAnswer("injections", { limit: maxListed });
  const context = useAnswer("status", {}).data?.memory.context;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  return (
    <>
      {context && (
        <p class="summary">
          Automatic context is {context.mode}. In 30 days: {formatCount(context.injections_30d, "time")},{" "}
          {formatCount(context.tokens_30d, "token")}
          {context.missed_30d > 0 && `, ${context.missed_30d} too late`}.
        </p>
      )}
      {Object.entries(givenParts).map(([name, Part]) => (
        <Part key={name} />
      ))}
      {data.injections.length === 0 ? (
        <Empty title="No context was given to agents yet">
          <p>Most prompts get no context. Only prompts that clearly continue past work do.</p>
          <p>
            <Inline text='`pm session context "a prompt"` shows what a prompt would get.' />
          </p>
        </Empty>
      ) : (
        <Worded document={wordInjected(data.injections, context?.mode ?? "")} />
      )}
    </>
  );
}
