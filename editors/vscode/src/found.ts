import { formatRelativeTime } from "../../../src/base/text/relative-time.ts";
import type { SearchAllResponse } from "../../../src/features/search/operation.ts";
import type { CommitFound, EventFound } from "../../../src/protocol/results.ts";

/** What a search or an impact found, as a picker shows it. */
export interface Found {
  icon: string;
  label: string;
  description: string;
  detail: string;
  /** Code, with its first line from 1, is opened in the editor; a session or a commit on the page. */
  open:
    | { file: string; line: number }
    | { command: "pommel.openSession" | "pommel.openCommit"; args: [id: string, turn: number | null] };
}

/** Results of one kind, best first. */
export interface FoundGroup {
  title: string;
  found: readonly Found[];
}

const most = { code: 12, sessions: 12, commits: 5 } as const;

/** The answer of a search, group by group; those that have nothing are left out. */
export function foundBy(answer: SearchAllResponse, only: "all" | "sessions"): FoundGroup[] {
  const { code, transcripts, history } = answer;
  const sessions: FoundGroup = {
    title: titleOf("Sessions", transcripts?.verdict),
    found: (transcripts?.results ?? []).slice(0, most.sessions).map((result) => ({
      icon: "comment-discussion",
      label: oneLine(result.session_title ?? "") || `Session ${result.session_id.slice(0, 8)}`,
      description: [result.agent, ago(result.timestamp), `turn ${result.turn}`]
        .filter((part) => part !== "")
        .join(" · "),
      detail: oneLine(result.snippet),
      open: { command: "pommel.openSession", args: [result.session_id, result.turn] },
    })),
  };
  if (only === "sessions") return [sessions].filter(hasAny);
  const groups: FoundGroup[] = [
    {
      title: titleOf("Code", code?.verdict),
      found: (code?.results ?? []).slice(0, most.code).map((result) => ({
        icon: iconOf(result.kind),
        label: result.name || basename(result.file),
        description: `${result.file}:${result.start_line}`,
        detail: "",
        open: { file: result.file, line: result.match_lines?.[0] ?? result.start_line },
      })),
    },
    sessions,
    {
      title: titleOf("Commits", history?.verdict),
      found: (history?.results ?? [])
        .filter(isCommit)
        .slice(0, most.commits)
        .map((result) => ({
          icon: "git-commit",
          label: oneLine(result.title),
          description: [result.id.slice(0, 8), result.author, ago(result.timestamp)]
            .filter((part) => part !== "")
            .join(" · "),
          detail: "",
          open: { command: "pommel.openCommit", args: [result.id, null] },
        })),
    },
  ];
  return groups.filter(hasAny);
}

const hasAny = ({ found }: FoundGroup) => found.length > 0;

const isCommit = (result: CommitFound | EventFound): result is CommitFound => result.kind === "commit";

const titleOf = (title: string, verdict: string | undefined) =>
  verdict === "probably_not_here"
    ? `${title}: probably not here`
    : verdict === "not_yet"
      ? `${title}: so far`
      : title;

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

const basename = (file: string) => file.slice(file.lastIndexOf("/") + 1);

const ago = (time: string | null) => (time === null ? "" : formatRelativeTime(Date.parse(time)));

const icons: Readonly<Record<string, string>> = {
  function: "symbol-function",
  method: "symbol-method",
  class: "symbol-class",
  interface: "symbol-interface",
  enum: "symbol-enum",
  struct: "symbol-struct",
  module: "symbol-module",
  constant: "symbol-constant",
  variable: "symbol-variable",
  type: "symbol-interface",
};

/** The editor's own icon of a kind of definition. */
export const iconOf = (kind: string): string => icons[kind] ?? "file-code";
