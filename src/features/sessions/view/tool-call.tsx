import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { buildEditorLink } from "../../../page/api/project.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { LineCounts, Preformatted } from "../../../page/components/code-lines.tsx";
import { Diff } from "../../../page/components/diff.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Time } from "../../../page/components/time.tsx";
import { linkToFile, linkToSession } from "../../../page/router.ts";
import { formatCallDuration } from "../../../protocol/reading/numbers.ts";
import type { ToolCall as Call } from "../operation.ts";
import { type DrawnTurn, Pictures } from "./pictures.tsx";

/** Where a result had a picture. */
const pictureMark = "[image]";

/** Edits with more changed lines are folded. */
const fewLines = 24;

interface ToolCallProps {
  of: DrawnTurn;
  call: Call;
  /** When it was made. */
  at: string | null;
  onWhole: (() => void) | null;
  /** What a subagent did for it, made when it is opened. */
  children: () => ComponentChildren;
}

/** A call of a tool: a line, with its input, edits and result inside. Small edits stand open. */
export function ToolCall({ of, call, at, onWhole, children }: ToolCallProps) {
  const { name, action, headline, command, result, is_error, edits, subagent } = call;
  const marked = (mark: string) =>
    edits.flatMap(({ lines }) => lines).filter((line) => line.startsWith(mark)).length;
  const changed = edits.reduce((sum, { lines }) => sum + lines.length, 0);
  const shown = headline.startsWith(name) ? headline.slice(name.length).trim() : headline;
  const [isOpen, setOpen] = useState(changed > 0 && changed <= fewLines);
  return (
    <details
      class={is_error ? "call failed" : "call"}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="call-name">{name}</span>
        <span class="call-says">{shown}</span>
        {edits.length > 0 && <LineCounts added={marked("+")} removed={marked("-")} />}
        {is_error && <Badge tone="bad">failed</Badge>}
        {(action === "command" || action === "delegate") && (
          <span class="faint">{formatCallDuration(call.took_ms)}</span>
        )}
        <Time at={at} isDayKnown />
      </summary>
      {isOpen && children()}
      {command !== null && <Preformatted class="call-text">{command}</Preformatted>}
      {edits.map(({ file, is_whole, lines }, i) => (
        <section key={i}>
          <FileName file={file} isNew={is_whole} />
          <Diff path={file} lines={lines} />
        </section>
      ))}
      {result === null ? (
        <p class="faint">No result is recorded.</p>
      ) : (
        // An edit's result repeats the file.
        (edits.length === 0 || is_error) &&
        result !== "" && (
          <Preformatted class={is_error ? "call-text bad" : "call-text"}>{result}</Preformatted>
        )
      )}
      {isOpen && result?.includes(pictureMark) && (
        <Pictures {...of} count={null} isMeant={({ call: of }) => of === call.id} />
      )}
      <p class="call-links">
        {subagent !== null && <a href={linkToSession(subagent)}>Read the subagent's session</a>}
        {onWhole && <SmallButton onClick={onWhole}>Show all of this turn</SmallButton>}
      </p>
    </details>
  );
}

function FileName({ file, isNew }: { file: string; isNew: boolean }) {
  const editor = buildEditorLink(file);
  return (
    <p class="call-file">
      <a class="path" href={linkToFile(file)}>
        {file}
      </a>
      {isNew && <Badge>whole file</Badge>}
      {editor !== null && <a href={editor}>open in the editor</a>}
    </p>
  );
}
