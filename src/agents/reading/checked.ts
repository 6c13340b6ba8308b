import { createHash } from "node:crypto";
import { PommelError } from "../../base/errors.ts";
import { describeKind, isValidAs, keepIfValid } from "../../protocol/outside.ts";
import type {
  Agent,
  FileTouch,
  ReadBatch,
  TranscriptEntry,
  TranscriptInfo,
  TranscriptLine,
} from "../agent.ts";

/**
 * An agent whose transcripts are checked: no id or path in them is anything else (`protocol/outside.ts`). A transcript with an
 * odd session id is refused whole, with `transcript_refused`. Labels are cleaned by whoever scrubs them (`scrubLabel`).
 */
export function wrapWithChecks(agent: Agent): Agent {
  return {
    ...agent,
    async describe(file) {
      const info = await agent.describe(file);
      return info && checkInfo(file, info);
    },
    async *read(file, cursor, signal) {
      for await (const batch of agent.read(file, cursor, signal)) yield checkBatch(batch);
    },
  };
}

function checkInfo(file: string, { parent, forkedFrom, cwd, ...info }: TranscriptInfo): TranscriptInfo {
  for (const session of [info.session, parent?.session]) {
    if (session === undefined || isValidAs("session", session)) continue;
    const shown = JSON.stringify(session.slice(0, 60));
    throw new PommelError(
      "transcript_refused",
      `${file} names ${shown} as its session, which is not ${describeKind("session")}. It was not read.`,
      "No agent writes such ids. Find out where the file comes from.",
    );
  }
  const origin = keepIfValid("session", forkedFrom);
  return {
    ...info,
    cwd: keepIfValid("place", cwd) ?? "",
    parent: parent && { ...parent, toolUse: toStorableId(parent.toolUse) },
    ...(origin !== null && { forkedFrom: origin }),
  };
}

const checkBatch = ({ lines, ...batch }: ReadBatch): ReadBatch => ({ ...batch, lines: lines.map(checkLine) });

function checkLine({ uid, parentUid, cwd, branch, entries, usage, ...line }: TranscriptLine): TranscriptLine {
  return {
    ...line,
    uid: toStorableId(uid),
    parentUid: toStorableId(parentUid),
    cwd: keepIfValid("place", cwd),
    branch: keepIfValid("branch", branch),
    entries: entries.map(checkEntry),
    usage: usage && { ...usage, messageId: toStorableId(usage.messageId) },
  };
}

function checkEntry(entry: TranscriptEntry): TranscriptEntry {
  switch (entry.kind) {
    case "tool_use":
      return { ...entry, id: toStorableId(entry.id), files: entry.files.filter(isPlaced) };
    case "tool_result":
      return {
        ...entry,
        id: toStorableId(entry.id),
        edits: entry.edits?.filter(isPlaced) ?? null,
        subagent: toStorableId(entry.subagent),
      };
    default:
      return entry;
  }
}

const isPlaced = ({ path }: Pick<FileTouch, "path">): boolean => isValidAs("place", path);

/** The id, or what stands for one that cannot be stored. The same ids stay the same. */
function toStorableId(id: string): string;
function toStorableId(id: string | null): string | null;
function toStorableId(id: string | null): string | null {
  if (id === null || id === "" || isValidAs("id", id)) return id;
  return createHash("sha256").update(id).digest("hex");
}
