import { useState } from "preact/hooks";
import { project } from "../../../page/api/project.ts";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Dialog } from "../../../page/components/dialog.tsx";
import { Entry } from "../../../page/components/entry.tsx";
import { ForgetDialog } from "../../../page/components/forget.tsx";
import { FormButtons, SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { periods, Time } from "../../../page/components/time.tsx";
import { linkTo, linkToDecision } from "../../../page/router.ts";
import type { Decision } from "../../../protocol/decision.ts";
import { labelWords } from "../../../protocol/origin.ts";
import type { ForgetRequest } from "../../forget/operation.ts";
import { decisionSources, labelSuperseded, supersededWords } from "../words.ts";

const maxListed = 200;

/** What was decided, and by what it was superseded since. */
export function Decisions({ query }: { query: URLSearchParams }) {
  const given = (name: string) => query.get(name) || undefined;
  const asked = { q: given("about"), since: given("since"), branch: given("branch"), limit: maxListed };
  const { data, error, reload } = useAnswer("decisions", asked, { keepsFormer: true });
  const [superseding, setSuperseding] = useState<Decision | null>(null);
  const [forgetting, setForgetting] = useState<ForgetRequest | null>(null);
  const state = given("state");
  const shown = data?.decisions.filter(
    ({ superseded_by }) => state === undefined || (superseded_by === null) === (state === "open"),
  );
  return (
    <>
      <div class="view-head">
        <p class="count">{data && `${shown?.length} of ${data.total.toLocaleString("en")}`}</p>
        <FilterChips
          filters={[
            { name: "about", label: "About" },
            {
              name: "state",
              label: "Current or superseded",
              values: [
                ["open", "Current"],
                ["superseded", "Superseded"],
              ],
            },
            { name: "since", label: "Any time", values: periods },
            { name: "branch", label: "Any branch", values: project.value?.branches ?? [] },
          ]}
        />
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading />}
      {shown?.length === 0 && (
        <Empty title="No decisions">
          <p>
            {query.size > 0
              ? "No decision matches these filters."
              : "Decisions are found in sessions, notes, decision records, comments and commits."}
          </p>
        </Empty>
      )}
      <ul class="rows" hidden={!shown?.length}>
        {shown?.map((decision) => (
          <DecisionEntry
            key={`${decision.source} ${decision.session_id} ${decision.place} ${decision.text}`}
            decision={decision}
            onSupersede={() => setSuperseding(decision)}
            onForget={setForgetting}
          />
        ))}
      </ul>
      {superseding && <Supersede decision={superseding} onClose={() => setSuperseding(null)} />}
      {forgetting && <ForgetDialog what={forgetting} onClose={() => setForgetting(null)} />}
    </>
  );
}

interface DecisionEntryProps {
  decision: Decision;
  onSupersede: () => void;
  onForget: (what: ForgetRequest) => void;
}

function DecisionEntry({ decision, onSupersede, onForget }: DecisionEntryProps) {
  const { source, by, author, text, session_id, session_title, turn, timestamp } = decision;
  const { branch, place, superseded_by, superseded } = decision;
  const isNote = source === "annotation";
  return (
    <Entry
      icon={isNote ? "note" : "decision"}
      kind={isNote ? "Note" : "Decision"}
      href={linkToDecision(decision)}
      title={
        superseded_by === null ? (
          <Inline text={text} />
        ) : (
          <s>
            <Inline text={text} />
          </s>
        )
      }
      aside={superseded !== null && <Badge tone="warning">{supersededWords[superseded]}</Badge>}
      meta={
        <>
          <Time at={timestamp} />
          <span>
            {by === null
              ? decisionSources[source]
              : labelWords(isNote ? "note" : "decision", { by, author }, "person")}
          </span>
          {place !== null && <span class="path">{place}</span>}
          {session_title !== null && (
            <span>
              <Inline text={session_title} />
            </span>
          )}
          {turn !== null && <span>turn {turn}</span>}
          {branch !== null && <span class="path">{branch}</span>}
        </>
      }
      actions={
        <>
          {superseded_by === null && <SmallButton onClick={onSupersede}>Supersede…</SmallButton>}
          {isNote && (
            <a class="small-link" href={linkTo("/memory/notes", { words: text.slice(0, 60) })}>
              Edit or forget
            </a>
          )}
          {source === "conversation" && session_id !== null && turn !== null && (
            <SmallButton onClick={() => onForget({ turn: `${session_id}:${turn}` })}>
              Forget its turn…
            </SmallButton>
          )}
        </>
      }
    >
      {superseded_by !== null && (
        <p class="entry-note">
          {labelSuperseded(decision)}: <Inline text={superseded_by} />
        </p>
      )}
    </Entry>
  );
}

/** Writes the note that replaces a decision; the decision's words say which. */
function Supersede({ decision, onClose }: { decision: Decision; onClose: () => void }) {
  const [text, setText] = useState("");
  const { run, isRunning, error } = useChange("annotate");
  const save = async (event: Event) => {
    event.preventDefault();
    const note = `Instead of “${decision.text}”: ${text.trim()}`;
    const branch = decision.branch === null ? {} : { branch: decision.branch };
    if ((await run({ note, by: "person", ...branch })) !== null) onClose();
  };
  return (
    <Dialog title="Supersede a decision" onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        <blockquote>
          <Inline text={decision.text} />
        </blockquote>
        <label>
          What holds instead, and why
          <textarea
            required
            rows={4}
            maxLength={5000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {error && <Refusal error={error} />}
        <p class="faint">It is saved as a note that quotes the decision. Agents are shown the new one.</p>
        <FormButtons submit="Supersede" isDisabled={isRunning || text.trim() === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
