import type { Entry, FileEdit, FileTouch, TranscriptLine } from "../../agents/agent.ts";
import {
  printedBy,
  type Scrubber,
  type ScrubText,
  type SecretLedger,
  scrubValue,
} from "../../redact/scrubber.ts";

/** The commands that a session ran, by the id of the call: what they print may be a secret for no other reason. */
export type Commands = Map<string, string>;

/** A line without secrets. Its ids and times stay. */
export function scrubLine(
  line: TranscriptLine,
  scrubber: Scrubber,
  ledger: SecretLedger,
  commands: Commands,
): TranscriptLine {
  return {
    ...line,
    cwd: line.cwd === null ? null : scrubber.scrub(line.cwd, ledger),
    branch: line.branch === null ? null : scrubber.scrub(line.branch, ledger),
    entries: line.entries.map((entry) => scrubEntry(entry, scrubber, ledger, commands)),
  };
}

/** An entry without secrets; the same object when it holds none. */
export function scrubEntry(
  entry: Entry,
  scrubber: Scrubber,
  ledger: SecretLedger,
  commands: Commands,
): Entry {
  const scrub: ScrubText = (text, name) => scrubber.scrub(text, ledger, name);
  switch (entry.kind) {
    case "compaction":
      return entry;
    case "tool_use":
      if (typeof entry.input.command === "string") commands.set(entry.id, entry.input.command);
      return {
        ...entry,
        input: scrubValue(entry.input, scrub),
        files: entry.files.map((file): FileTouch => ({ ...file, path: scrub(file.path) })),
      };
    case "tool_result": {
      const command = commands.get(entry.id);
      return {
        ...entry,
        text: scrub(entry.text, command === undefined ? undefined : printedBy + command),
        edits: entry.edits?.map((edit) => scrubEdit(edit, scrub)) ?? null,
      };
    }
    default:
      return { ...entry, text: scrub(entry.text) };
  }
}

function scrubEdit(edit: FileEdit, scrub: ScrubText): FileEdit {
  return {
    path: scrub(edit.path),
    content: edit.content === null ? null : scrub(edit.content),
    // A hunk's lines together: a private key spans several.
    hunks: edit.hunks.map((hunk) => ({ ...hunk, lines: scrub(hunk.lines.join("\n")).split("\n") })),
  };
}
