import { createHmac } from "node:crypto";
import type {
  FileEdit,
  FileTouch,
  TranscriptEntry,
  TranscriptInfo,
  TranscriptLine,
} from "../../agents/agent.ts";
import { memoize } from "../../base/text/memoize.ts";
import { cleanLabel, type LabelKind } from "../../protocol/outside.ts";
import {
  printedBy,
  type Scrubber,
  type ScrubText,
  type SecretLedger,
  scrubAlone,
  scrubValue,
} from "../../redact/scrubber.ts";

/** The commands that a session ran, by the id of the call: what they print may be a secret for no other reason. */
export type Commands = Map<string, string>;

/** Ids as clients make them, which hold no secret: scrubbing each would cost more than all of their texts. */
const plainId =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:toolu|msg|call|fc|rs)_\w{8,48}|[0-9a-f]{1,32})$/;

/** Keeps ids as they are; one that holds a secret becomes a keyed hash, the same each time, so that what it names is still one thing. */
export function createIdScrubber(scrubber: Scrubber, key: Uint8Array): (id: string) => string {
  return (id) =>
    plainId.test(id) || scrubAlone(scrubber, id) === id
      ? id
      : `redacted-${createHmac("sha256", key).update(id).digest("hex").slice(0, 32)}`;
}

/**
 * A label without secrets, cleaned. Cleaning comes second: in one line a table is none, and a token with an escape in it two words.
 * What it joins is scrubbed again.
 */
export function scrubLabel(kind: LabelKind, text: string, scrub: (text: string) => string): string {
  const scrubbed = scrub(text);
  const label = cleanLabel(kind, scrubbed);
  return label === scrubbed ? label : scrub(label);
}

/** A transcript's identity without secrets. */
export function scrubInfo(
  info: TranscriptInfo,
  scrubber: Scrubber,
  idOf: (id: string) => string,
): TranscriptInfo {
  const { session, parent, cwd, forkedFrom } = info;
  const labelOrNull = (kind: LabelKind, text: string | null) =>
    text === null ? null : scrubLabel(kind, text, (part) => scrubAlone(scrubber, part));
  return {
    ...info,
    session: idOf(session),
    cwd: scrubAlone(scrubber, cwd),
    ...(forkedFrom !== undefined && { forkedFrom: idOf(forkedFrom) }),
    parent: parent && {
      session: idOf(parent.session),
      toolUse: parent.toolUse && idOf(parent.toolUse),
      agentType: labelOrNull("tool", parent.agentType),
      task: labelOrNull("title", parent.task),
    },
  };
}

/** A line whose ids hold no secret. */
export function scrubIds(line: TranscriptLine, idOf: (id: string) => string): TranscriptLine {
  const orNull = (id: string | null) => (id === null ? null : idOf(id));
  return {
    ...line,
    uid: orNull(line.uid),
    parentUid: orNull(line.parentUid),
    usage: line.usage && { ...line.usage, messageId: idOf(line.usage.messageId) },
    entries: line.entries.map((entry) => {
      if (entry.kind === "tool_use") return { ...entry, id: idOf(entry.id) };
      if (entry.kind === "tool_result")
        return { ...entry, id: idOf(entry.id), subagent: orNull(entry.subagent) };
      return entry;
    }),
  };
}

/** Directories, branches and models of a session whose scrubbed forms are remembered. */
const maxRepeated = 1000;

/** Scrubs what most lines of a session repeat: each text once. */
export const createRepeatedScrub = (scrubber: Scrubber, ledger: SecretLedger): ((text: string) => string) =>
  memoize(maxRepeated, (text) => scrubber.scrub(text, ledger));

/**
 * A line without secrets. Its ids and times stay.
 * @param scrubRepeated as `createRepeatedScrub` makes it for the session
 */
export function scrubLine(
  line: TranscriptLine,
  scrubber: Scrubber,
  ledger: SecretLedger,
  commands: Commands,
  scrubRepeated: (text: string) => string,
): TranscriptLine {
  const scrubModel = (model: string) => scrubLabel("model", model, scrubRepeated);
  return {
    ...line,
    cwd: line.cwd === null ? null : scrubRepeated(line.cwd),
    branch: line.branch === null ? null : scrubRepeated(line.branch),
    usage: line.usage && { ...line.usage, model: scrubModel(line.usage.model) },
    ...(line.model !== undefined && { model: scrubModel(line.model) }),
    entries: line.entries.map((entry) => scrubEntry(entry, scrubber, ledger, commands)),
  };
}

/** An entry without secrets; the same object when it holds none. */
export function scrubEntry(
  entry: TranscriptEntry,
  scrubber: Scrubber,
  ledger: SecretLedger,
  commands: Commands,
): TranscriptEntry {
  const scrub: ScrubText = (text, name) => scrubber.scrub(text, ledger, name);
  switch (entry.kind) {
    case "compaction":
      return { ...entry, trigger: entry.trigger && scrub(entry.trigger) };
    case "title":
      return { ...entry, text: scrubLabel("title", entry.text, scrub) };
    case "tool_use":
      if (typeof entry.input.command === "string") commands.set(entry.id, entry.input.command);
      return {
        ...entry,
        tool: scrubLabel("tool", entry.tool, scrub),
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
