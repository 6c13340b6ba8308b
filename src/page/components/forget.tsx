import type { ForgetRequest, ForgetResponse } from "../../features/forget/operation.ts";
import { isForgottenForGood } from "../../features/forget/words.ts";
import { daysInTrash } from "../../protocol/days-in-trash.ts";
import { useAnswer, useChange } from "../api/use-answer.ts";
import { Dialog } from "./dialog.tsx";
import { Loading, Refusal } from "./states.tsx";
import { formatCount } from "./words.ts";

/** What forgetting would remove, before it does: the same preview as that of `pm memory forget`. */
export function ForgetDialog({
  what,
  onClose,
  onForgotten,
}: {
  what: ForgetRequest;
  onClose: () => void;
  onForgotten?: () => void;
}) {
  const { data: found, error: refusal } = useAnswer("forget", { ...what, dry_run: true });
  const removal = useChange("forget");
  const forget = async () => {
    if ((await removal.run(what)) === null) return;
    onForgotten?.();
    onClose();
  };
  const error = removal.error ?? refusal;
  const isForGood = isForgottenForGood(what);
  const isNothing = found !== null && formatForgottenParts(found).length + found.matches === 0;
  return (
    <Dialog title={isForGood ? "Forget this for good?" : "Forget this?"} onClose={onClose}>
      {error && <Refusal error={error} />}
      {!found && !error && <Loading rows={2} />}
      {isNothing && <p>Nothing in the memory matches.</p>}
      {found && !isNothing && (
        <>
          <p>This removes {describeForgotten(found)}:</p>
          <ul class="forget-examples">
            {found.examples.map((example, i) => (
              <li key={i}>{example}</li>
            ))}
          </ul>
          <p class="faint">
            {what.annotation !== undefined &&
              "The words also stay in the prompt that they come from, unless you forget its turn. "}
            {isForGood ? (
              "This cannot be undone: all backups of this memory, and everything of it in the trash, are deleted as well. "
            ) : (
              <>
                It stays in the trash for {daysInTrash} days: <code>pm memory undo</code> brings it back.{" "}
              </>
            )}
            The agent's own transcripts are not touched.
          </p>
        </>
      )}
      <footer class="dialog-buttons">
        <button type="button" onClick={onClose}>
          {isNothing ? "Close" : "Keep it"}
        </button>
        {found && !isNothing && (
          <button type="button" class="danger" disabled={removal.isRunning} onClick={() => void forget()}>
            {isForGood ? "Forget for good" : "Forget"}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

function formatForgottenParts({ sessions, turns, annotations, chunks }: ForgetResponse): string[] {
  const parts = [
    [sessions, "session"],
    [turns, "turn"],
    [annotations, "note"],
    [chunks, "chunk"],
  ] as const;
  return parts.filter(([count]) => count > 0).map(([count, unit]) => formatCount(count, unit));
}

function describeForgotten(found: ForgetResponse): string {
  const parts = formatForgottenParts(found).join(", ");
  if (found.matches === 0) return parts;
  return `${formatCount(found.matches, "place")}${parts === "" ? "" : ` in ${parts}`}`;
}
