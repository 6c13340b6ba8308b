import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../../../page/api/ask.ts";
import { useChange } from "../../../page/api/use-answer.ts";
import { CopyButton } from "../../../page/components/code-lines.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { formatCount } from "../../../page/components/words.ts";

/** What the reader says of a line of the change. */
export interface Remark {
  path: string;
  line: number;
  /** The line itself. */
  code: string;
  text: string;
}

/** Remarks of one review, while it is looked at. */
export function useRemarks() {
  const [remarks, setRemarks] = useState<readonly Remark[]>([]);
  const [open, setOpen] = useState<Omit<Remark, "text"> | null>(null);
  return {
    remarks,
    begin: (path: string, line: { number: number; text: string }) =>
      setOpen({ path, line: line.number, code: line.text }),
    clear: () => setRemarks([]),
    /** The remarks on a line, and the form for another. */
    below(path: string, line: number) {
      const here = remarks.filter((one) => one.path === path && one.line === line);
      const isOpen = open?.path === path && open.line === line;
      if (here.length === 0 && !isOpen) return null;
      return (
        <div class="remarks">
          {here.map((one) => (
            <p key={one.text}>
              {one.text}{" "}
              <SmallButton onClick={() => setRemarks(remarks.filter((other) => other !== one))}>
                Remove
              </SmallButton>
            </p>
          ))}
          {isOpen && (
            <RemarkForm
              line={line}
              onText={(text) => {
                if (text !== "") setRemarks([...remarks, { ...open, text }]);
                setOpen(null);
              }}
            />
          )}
        </div>
      );
    },
  };
}

function RemarkForm({ line, onText }: { line: number; onText: (text: string) => void }) {
  const place = useRef<HTMLTextAreaElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onText(String(new FormData(event.currentTarget).get("remark")).trim());
      }}
    >
      <textarea name="remark" aria-label={`Remark on line ${line}`} rows={2} maxLength={10_000} ref={place} />
      <p class="form-buttons">
        <button type="submit">Remark</button>
        <button type="button" class="quiet" onClick={() => onText("")}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/** What becomes of the remarks: a prompt for an agent, or notes on the lines. */
export function RemarksBar({ remarks, onSaved }: { remarks: readonly Remark[]; onSaved: () => void }) {
  const { run, error } = useChange("annotate");
  const [left, setLeft] = useState("");
  if (remarks.length === 0) return null;
  const save = async () => {
    const moved: string[] = [];
    for (const { path, line, code, text } of remarks) {
      // A note is on the working tree's lines, which need not be those of the change.
      const { place } = await ask("code", { place: `${path}:${line}` }).catch(() => ({ place: null }));
      const isSame = place?.lines[0] === code;
      if (!isSame || (await run({ note: text, by: "person", at: `${path}:${line}` })) === null)
        moved.push(`${path}:${line}`);
    }
    if (moved.length === 0) onSaved();
    else
      setLeft(
        `Not saved: ${moved.join(", ")}. These lines have changed in the working tree, or the note was refused. “Copy as a prompt” still has the remarks.`,
      );
  };
  return (
    <p class="row-meta" role="status">
      <span>{formatCount(remarks.length, "remark")}</span>
      <CopyButton label="Copy as a prompt" text={() => wordRemarksAsPrompt(remarks)} />
      <SmallButton onClick={() => void save()}>Save as notes</SmallButton>
      {left !== "" && <span>{left}</span>}
      {error && <span>{error.message}</span>}
    </p>
  );
}

/** For the agent that is to change the code. */
const wordRemarksAsPrompt = (remarks: readonly Remark[]): string =>
  [
    `Please address ${remarks.length === 1 ? "this remark" : `these ${remarks.length} remarks`} of the review:`,
    ...remarks.map(({ path, line, code, text }) => `- ${path}:${line} \`${code.trim()}\`\n  ${text}`),
  ].join("\n");
