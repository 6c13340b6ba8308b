import { useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Command } from "../../../page/components/code-lines.tsx";
import { ForgetDialog } from "../../../page/components/forget.tsx";
import { Part, Table } from "../../../page/components/layout.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatBytes, formatCount } from "../../../page/components/words.ts";
import { linkTo } from "../../../page/router.ts";
import type { ForgetRequest } from "../../forget/operation.ts";
import type { StatusResponse } from "../../status/operation.ts";
import { formatVanishing, isLosing } from "../../status/words.ts";

/** What stays for how long, what clients delete, which secrets were replaced, and how to forget and to export. */
export function Keeping() {
  const status = useAnswer("status", {});
  if (status.error) return <Failure error={status.error} onRetry={status.reload} />;
  if (status.data === null) return <Loading />;
  const { memory } = status.data;
  return (
    <div class="keeping">
      <Coverage memory={memory} />
      <Retention memory={memory} />
      <Redactions needsScrubbing={memory.needs_scrubbing} />
      <ForgetMore />
      <Part as="panel" title="Export">
        <p>As files to read or to hand on, scrubbed once more:</p>
        <Command line="pm memory export --since 'last week' --to week" />
        <p>All of it, to keep or to import elsewhere:</p>
        <Command line="pm memory export --all --to memory.jsonl" />
      </Part>
    </div>
  );
}

type KeptMemory = StatusResponse["memory"];

/** Which sessions their clients delete soon, and whether they are stored here by then. */
function Coverage({ memory }: { memory: KeptMemory }) {
  const { vanishing } = memory;
  return (
    <Part as="panel" title="Sessions that their agent will delete">
      {vanishing === null && <p class="nothing">Not known yet: the daemon is still looking.</p>}
      {vanishing?.length === 0 && <p class="nothing">No agent used here deletes its sessions.</p>}
      {vanishing?.map((one) => {
        const { agent, title, days, setting, source, sessions, stored, within_days, first_at } = one;
        return (
          <div key={agent} class="vanishing">
            <p class={`health ${isLosing(one) ? "warning" : "good"}`}>
              {sessions === 0
                ? `${title} deletes no session within ${within_days} days.`
                : formatVanishing(one)}
              {first_at !== null && (
                <>
                  {" "}
                  The first: <Time at={first_at} />.
                </>
              )}
            </p>
            <p class="faint">
              {title} deletes sessions {days} days after their last activity (<code>{setting}</code>
              {source === null ? ", its default" : ` in ${source}`}).
            </p>
            {stored < sessions && <Command line={`pm import ${agent}`} />}
          </div>
        );
      })}
    </Part>
  );
}

function Retention({ memory }: { memory: KeptMemory }) {
  const { data } = useAnswer("settings", {});
  const days = data?.settings.find(({ key }) => key === "sessions.retention_days")?.value;
  const { sessions, turns, annotations, captures, last_updated } = memory;
  const { bytes: size, growth_30d_bytes: grown } = memory;
  return (
    <Part as="panel" title="What is kept here">
      <p>
        {formatCount(sessions, "session")} with {formatCount(turns, "turn")} and{" "}
        {formatCount(annotations, "note")}, {formatBytes(size)}
        {grown !== null && grown > 0 && `, ${formatBytes(grown)} more than 30 days ago`}.
      </p>
      {last_updated !== null && (
        <p>
          Last session: <Time at={last_updated} />
        </p>
      )}
      {!captures && (
        <p class="health warning">
          New sessions are not recorded: <code>sessions.capture</code> is off.
        </p>
      )}
      {days !== undefined && (
        <p>
          {days === 0
            ? "Sessions are kept for good."
            : `Sessions are deleted ${days} days after their last activity. Their titles, notes and summaries stay.`}{" "}
          <a href={linkTo("/settings/", { setting: "sessions.retention_days" })}>The setting</a>
        </p>
      )}
    </Part>
  );
}

function Redactions({ needsScrubbing }: { needsScrubbing: boolean }) {
  const { data, error, reload } = useAnswer("redactions", {});
  return (
    <Part as="panel" title="Secrets that were replaced">
      {error && <Failure error={error} onRetry={reload} />}
      {needsScrubbing && <p>The patterns have changed, so the stored data is being scrubbed again.</p>}
      {data?.types.length === 0 && (
        <p class="nothing">
          Scrubbing has replaced no secret here. It does not recognise every secret;{" "}
          <code>pm memory forget --text</code> removes one that it missed.
        </p>
      )}
      {data && data.types.length > 0 && (
        <>
          <p>
            Secrets were replaced in {formatCount(data.sessions, "session")}. In the memory, these marks stand
            in their place. The agents' own transcripts still contain the secrets.
          </p>
          <Table head={["Mark", "Different secrets", "Sessions"]}>
            {data.types.map(({ type, secrets, sessions }) => (
              <tr key={type}>
                <td>
                  <code>[REDACTED_{type}]</code>
                </td>
                <td>{secrets.toLocaleString("en")}</td>
                <td>{sessions.toLocaleString("en")}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Part>
  );
}

/** By words or by time; sessions, turns and notes are forgotten where they are shown. */
function ForgetMore() {
  const [pattern, setPattern] = useState("");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const [asked, setAsked] = useState<ForgetRequest | null>(null);
  const period = { ...(since !== "" && { since }), ...(until !== "" && { until }) };
  return (
    <Part as="panel" title="Forget">
      <form
        class="form inline"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked({ pattern });
        }}
      >
        <label>
          Everything that matches a regular expression (RE2 syntax)
          <input
            value={pattern}
            placeholder="Project Falcon"
            spellcheck={false}
            onInput={(event) => setPattern(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={pattern.trim() === ""}>
          Preview…
        </button>
      </form>
      <form
        class="form inline"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(period);
        }}
      >
        <label>
          Everything since
          <input type="date" value={since} onInput={(event) => setSince(event.currentTarget.value)} />
        </label>
        <label>
          until
          <input type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={since === "" && until === ""}>
          Preview…
        </button>
      </form>
      {asked && <ForgetDialog what={asked} onClose={() => setAsked(null)} />}
    </Part>
  );
}
