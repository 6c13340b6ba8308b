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
          Automatic context: mode {context.mode}. In the last 30 days, agents got it{" "}
          {formatCount(context.injections_30d, "time")} ({formatCount(context.tokens_30d, "token")})
          {context.missed_30d > 0 && `; ${formatCount(context.missed_30d, "answer")} came too late`}.
        </p>
      )}
      {Object.entries(givenParts).map(([name, Part]) => (
        <Part key={name} />
      ))}
      {data.injections.length === 0 ? (
        <Empty title="No context was given to agents yet">
          <p>
            <Inline
              text={
                context?.mode === "off"
                  ? "Automatic context is off (`context.mode`)."
                  : "Agents get it at certain moments, such as the start of a session (`context.kinds`). `pm session context --start` shows what a new session gets."
              }
            />
          </p>
        </Empty>
      ) : (
        <Worded document={wordInjected(data.injections, context?.mode ?? "")} />
      )}
    </>
  );
}
