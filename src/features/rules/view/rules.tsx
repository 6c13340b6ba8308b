import { useRef } from "preact/hooks";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Entry } from "../../../page/components/entry.tsx";
import { Part, SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { useKeys } from "../../../page/keys.ts";
import { linkToSession } from "../../../page/router.ts";
import type { RepositoryRules, Rule, RuleMode } from "../operation.ts";
import {
  describeCheck,
  describeReplay,
  describeSpoken,
  howToCheck,
  modeNames,
  modes,
  onlyReminds,
  whoseRepositoryRules,
} from "../words.ts";

/** What agents' calls are checked by, and what might be: `pm rules`. */
export function Rules() {
  const { data, error, reload } = useAnswer("rules", {});
  if (error && error.code !== "no_memory") return <Failure error={error} onRetry={reload} />;
  if (data === null && !error) return <Loading />;
  return (
    <>
      {data === null || data.rules.length + data.repository.rules.length === 0 ? (
        <Empty title="No rules">
          <p>
            A rule is a sentence of yours that is checked just before an agent acts. Accept one that is
            proposed below, or add one with <code>pm rules add</code>.
          </p>
        </Empty>
      ) : (
        <>
          {!data.is_checked && (
            <p class="faint">
              <Inline text={howToCheck} />
            </p>
          )}
          <ul class="rows">
            {data.rules.map((rule) => (
              <OneRule
                key={rule.id}
                kind="Rule"
                rule={rule}
                mode={rule.mode}
                facts={[
                  modes[rule.mode],
                  ...describeSpoken(rule.id, data.spoken).map((words) => `spoke ${words}`),
                ].join("; ")}
                actions={{ drop: "Drop" }}
              />
            ))}
          </ul>
        </>
      )}
      {data !== null && <OfRepository {...data.repository} />}
      {data !== null && <Proposals />}
    </>
  );
}

/** What the repository asks of agents. */
function OfRepository({ file, rules, problem }: RepositoryRules) {
  if (rules.length === 0 && problem === null) return null;
  return (
    <Part title="Of this repository">
      <p class="faint">
        {file}: {whoseRepositoryRules}
      </p>
      {problem !== null && <p class="faint">{problem}</p>}
      <ul class="rows">
        {rules.map((rule) => (
          <OneRule
            key={rule.id}
            kind="Rule of the repository"
            rule={{ ...rule, times: 0, sessions: 0, said: [] }}
            actions={{ accept: "Make it mine", drop: "Drop" }}
          />
        ))}
      </ul>
    </Part>
  );
}

/** Sentences of the person that could be rules, with what they would have done. */
function Proposals() {
  const { data, error, reload } = useAnswer("proposeRules", {});
  const { run, error: refused } = useChange("changeRule");
  const list = useRef<HTMLUListElement>(null);
  useKeys({
    a: () => {
      const rows = [...(list.current?.children ?? [])];
      const chosen = data?.proposals[rows.findIndex((row) => row.contains(document.activeElement))];
      if (chosen !== undefined) void run({ change: "accept", id: chosen.id });
    },
  });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={2} />;
  const from = `${formatCount(data.turns, "turn")} of ${formatCount(data.sessions, "session")} of your own`;
  return (
    <Part title="From what you said">
      {refused && <Refusal error={refused} />}
      {data.proposals.length === 0 ? (
        <p class="faint">Nothing to propose. Read: {from}.</p>
      ) : (
        <ul class="rows" ref={list}>
          {data.proposals.map((proposal) => (
            <OneRule
              key={proposal.id}
              kind="Proposed rule"
              rule={proposal}
              facts={[describeReplay(proposal), ...(proposal.only_reminds ? [onlyReminds] : [])].join("; ")}
              actions={{ accept: "Accept", drop: "Do not propose" }}
            />
          ))}
        </ul>
      )}
    </Part>
  );
}

interface OneRuleProps {
  kind: string;
  rule: Omit<Rule, "mode">;
  /** What happens when it is broken; left out for what is no rule yet. */
  mode?: RuleMode;
  facts?: string;
  actions: Partial<Record<"accept" | "drop", string>>;
}

/** A rule, or what may become one, with what can be done about it. */
function OneRule({ kind, rule, mode, facts = "", actions }: OneRuleProps) {
  const { run, isRunning, error } = useChange("changeRule");
  const { id, text, check, times, sessions, said } = rule;
  const [latest] = said;
  return (
    <Entry
      icon="decision"
      kind={kind}
      href={
        latest === undefined || latest.session_id === ""
          ? null
          : linkToSession(latest.session_id, latest.turn)
      }
      title={<Inline text={text} />}
      meta={
        <>
          <span>
            forbids <Inline text={describeCheck(check)} />
          </span>
          {latest !== undefined && (
            <span>
              {latest.file === undefined ? `said ${formatCount(times, "time")}` : `in ${latest.file}`}
              {sessions > 1 && ` in ${formatCount(sessions, "session")}`}
            </span>
          )}
          {latest?.at != null && <Time at={latest.at} />}
          <span>{facts}</span>
        </>
      }
      actions={
        <>
          {mode !== undefined && (
            <select
              class="chip"
              aria-label={`What happens: ${text}`}
              disabled={isRunning}
              value={mode}
              onChange={(event) =>
                void run({ change: "mode", id, mode: event.currentTarget.value as RuleMode })
              }
            >
              {modeNames.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          {(["accept", "drop"] as const).map(
            (change) =>
              actions[change] && (
                <SmallButton
                  key={change}
                  what={text}
                  isDisabled={isRunning}
                  onClick={() => void run({ change, id })}
                >
                  {actions[change]}
                </SmallButton>
              ),
          )}
        </>
      }
    >
      {error && <Refusal error={error} />}
    </Entry>
  );
}
