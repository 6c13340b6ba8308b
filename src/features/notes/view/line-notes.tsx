import { useState } from "preact/hooks";
import { ForgetDialog } from "../../../page/components/forget.tsx";
import { isOnLines } from "../../../protocol/reading/note-lines.ts";
import type { Note } from "../operation.ts";
import { NewNote, NoteEntry } from "./notes.tsx";

/** Notes on lines of a file, and those whose lines are gone. */
export const NotesOnFile = ({ notes }: { notes: readonly Note[] }) => (
  <LineNotes title="Notes on its lines" notes={notes} />
);

function LineNotes({ title, notes }: { title: string; notes: readonly Note[] }) {
  const [forgetting, setForgetting] = useState<string | null>(null);
  if (notes.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="rows">
        {notes.map((note) => (
          <NoteEntry key={note.id} note={note} onForget={() => setForgetting(note.id)} />
        ))}
      </ul>
      {forgetting && <ForgetDialog what={{ annotation: forgetting }} onClose={() => setForgetting(null)} />}
    </section>
  );
}

interface NotesHereProps {
  file: string;
  line: number;
  last: number;
  /** Where the file is shown as it was, nothing is noted. */
  rev: string | undefined;
  /** Of the file. */
  notes: readonly Note[];
}

/** The notes on some lines, and a form for another. */
export function NotesHere({ file, line, last, rev, notes }: NotesHereProps) {
  if (rev !== undefined) return null;
  const here = notes.filter(({ lines }) => lines !== null && isOnLines(lines, line, last));
  const lines = last > line ? `lines ${line} to ${last}` : `line ${line}`;
  return (
    <>
      <LineNotes title={`Notes on ${lines}`} notes={here} />
      <details class="note-here">
        <summary>Write a note on {lines}</summary>
        <NewNote at={`${file}:${line}-${last}`} label={`A note on ${lines}`} />
      </details>
    </>
  );
}
