import { useState } from "preact/hooks";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Entry } from "../../../page/components/entry.tsx";
import { ForgetDialog } from "../../../page/components/forget.tsx";
import { FormButtons, SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { periods, Time } from "../../../page/components/time.tsx";
import { linkToFile, linkToSession } from "../../../page/router.ts";
import { labelWords, toSpeaker } from "../../../protocol/origin.ts";
import { formatTurnPlace } from "../../../protocol/reading/short-id.ts";
import type { Note } from "../operation.ts";
import { formatNoteLines, howToNote, noMatchingNotes, noNotes } from "../words.ts";

/** As many as the daemon lists at most. */
const maxListed = 1000;

/** What people wrote down, to be written, corrected and forgotten. */
export function Notes({ query }: { query: URLSearchParams }) {
  const given = (name: string) => query.get(name) || undefined;
  const { data, error, reload } = useAnswer("annotations", {
    search: given("words"),
    since: given("since"),
    limit: maxListed,
  });
  const [forgetting, setForgetting] = useState<string | null>(null);
  // Before the first session there is no memory yet: a note makes one.
  const isNew = error?.code === "no_memory";
  return (
    <>
      <NewNote />
      <div class="view-head">
        <p class="count">{data?.total.toLocaleString("en")}</p>
        <FilterChips
          filters={[
            { name: "words", label: "Words" },
            { name: "since", label: "Any time", values: periods },
          ]}
        />
      </div>
      {error && !isNew && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading />}
      {(isNew || data?.annotations.length === 0) && (
        <Empty title={noNotes}>
          <p>
            <Inline text={query.size > 0 ? noMatchingNotes : howToNote} />
          </p>
        </Empty>
      )}
      <ul class="rows" hidden={!data?.annotations.length}>
        {data?.annotations.map((note) => (
          <NoteEntry key={note.id} note={note} onForget={() => setForgetting(note.id)} />
        ))}
      </ul>
      {forgetting && <ForgetDialog what={{ annotation: forgetting }} onClose={() => setForgetting(null)} />}
    </>
  );
}

/** A form for a note. @param at the lines that it is on */
export function NewNote({ at, label = "A new note" }: { at?: string; label?: string }) {
  const [text, setText] = useState("");
  const { run, isRunning, error } = useChange("annotate");
  const save = async (event: Event) => {
    event.preventDefault();
    if ((await run({ note: text.trim(), by: "person", at })) !== null) setText("");
  };
  return (
    <form class="new-note" onSubmit={(event) => void save(event)}>
      <textarea
        aria-label={label}
        placeholder="What should be remembered, and why?"
        rows={2}
        maxLength={10_000}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={isRunning || text.trim() === ""}>
        Save note
      </button>
      {error && <Refusal error={error} />}
    </form>
  );
}

export function NoteEntry({
  note: { id, note, session_id, turn, timestamp, branch, source, author, lines },
  onForget,
}: {
  note: Note;
  onForget: () => void;
}) {
  const [isEditing, setEditing] = useState(false);
  const by = toSpeaker(source);
  return (
    <Entry
      icon="note"
      kind="Note"
      href={
        lines !== null && lines.state !== "gone"
          ? linkToFile(lines.file, lines.first_line, lines.last_line)
          : session_id === null
            ? null
            : linkToSession(session_id, turn)
      }
      title={<Inline text={note} />}
      aside={
        <Badge tone={by === "person" ? "human" : "agent"}>
          {labelWords("note", { by, author }, "person")}
        </Badge>
      }
      meta={
        <>
          <Time at={timestamp} />
          {lines !== null && <span class="path">{formatNoteLines(lines)}</span>}
          {session_id !== null && <span>session {formatTurnPlace(session_id, turn)}</span>}
          {branch !== null && <span class="path">{branch}</span>}
        </>
      }
      actions={
        !isEditing && (
          <>
            <SmallButton onClick={() => setEditing(true)}>Edit</SmallButton>
            <SmallButton onClick={onForget}>Forget…</SmallButton>
          </>
        )
      }
    >
      {isEditing && (
        <EditNote id={id} note={note} isPrompt={source === "prompt"} onClose={() => setEditing(false)} />
      )}
    </Entry>
  );
}

interface EditNoteProps {
  id: string;
  note: string;
  isPrompt: boolean;
  onClose: () => void;
}

function EditNote({ id, note, isPrompt, onClose }: EditNoteProps) {
  const [text, setText] = useState(note);
  const { run, isRunning, error } = useChange("editNote");
  const save = async (event: Event) => {
    event.preventDefault();
    if ((await run({ id, note: text.trim() })) !== null) onClose();
  };
  return (
    <form class="form entry-form" onSubmit={(event) => void save(event)}>
      <textarea
        aria-label="The note"
        rows={Math.min(10, 2 + Math.ceil(text.length / 100))}
        maxLength={10_000}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {error && <Refusal error={error} />}
      {isPrompt && <p class="faint">The prompt keeps its words; the note stands beside it.</p>}
      <FormButtons submit="Save" isDisabled={isRunning || text.trim() === ""} onCancel={onClose} />
    </form>
  );
}
