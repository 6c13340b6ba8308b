import { useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Command, LineCounts } from "../../../page/components/code-lines.tsx";
import { Diff } from "../../../page/components/diff.tsx";
import { Failure, Loading, Notes } from "../../../page/components/states.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { shortenSessionId } from "../../../protocol/reading/short-id.ts";
import type { UndoneFile } from "../operation.ts";
import { conflictWords } from "../words.ts";

/**
 * What a session changed and the files still have, as one change, and the command that undoes it. Only the terminal changes files:
 * there it can be seen first what else is open in them.
 */
export function NetChange({ session }: { session: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="summary" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Changes that are still in the files</summary>
      {isOpen && <Change session={session} />}
    </details>
  );
}

function Change({ session }: { session: string }) {
  const { data, error, reload } = useAnswer("undoPreview", { id: session });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={3} />;
  const files = data.files.filter(({ action, conflicts }) => action !== "unchanged" || conflicts.length > 0);
  return (
    <>
      {files.length === 0 ? (
        <p class="faint">None of its changes are still in the files.</p>
      ) : (
        <>
          <p class="faint">To take these changes back in your working tree:</p>
          <Command line={`pm undo ${shortenSessionId(session)} --apply`} />
        </>
      )}
      {files.map((file) => (
        <UndoneFileDiff key={file.path} file={file} />
      ))}
      {data.commands_total > 0 && (
        <p class="faint">
          It ran {formatCount(data.commands_total, "command")} that may have done something beyond these
          files.
        </p>
      )}
      <Notes of={data.notes} />
    </>
  );
}

function UndoneFileDiff({ file }: { file: UndoneFile }) {
  const { path, action, moves_to, lines_removed, lines_restored, patch, conflicts } = file;
  return (
    <section>
      <p class="row-meta">
        <span class="path">{path}</span>
        {action === "deleted" && <Badge tone="good">new</Badge>}
        {action === "created" && <Badge tone="bad">deleted</Badge>}
        {moves_to !== null && <span>moved from {moves_to}</span>}
        <LineCounts added={lines_removed} removed={lines_restored} />
        {conflicts.length > 0 && (
          <span title={[...new Set(conflicts.map(({ why }) => conflictWords[why]))].join("; ")}>
            {formatCount(conflicts.length, "place")} not shown: others wrote there since
          </span>
        )}
      </p>
      {patch !== "" && <Diff path={path} lines={patch.split("\n")} isReversed />}
    </section>
  );
}
