import { createHash } from "node:crypto";
import type { FileEdit, TranscriptEntry, TranscriptLine, Usage } from "../agent.ts";
import { bounds, boundText } from "../reading/bounds.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { makeToolResult, makeToolUse, toAbsolutePath } from "../reading/tool-calls.ts";
import { makePromptEntries, makeTextEntries, makeTranscriptLine } from "../reading/transcript-lines.ts";
import { findFileEdit } from "./edits.ts";
import type { TypedInput } from "./history.ts";

/** A line of the transcript, and where in the chat it ends. Bytes. */
export interface PlacedLine {
  line: TranscriptLine;
  end: number;
}

interface About {
  session: string;
  /** The repository's root. */
  cwd: string;
  startedAt: number;
  inputs: readonly TypedInput[];
  /** Whether nobody writes to it any more, so that its last text is whole. */
  isAtRest: boolean;
}

/** What the human typed, and what the client printed; both end with two spaces. */
const typed = /^#### (.*) {2}$/;
const printed = /^>(?: (.*?))? {2}$/;

/**
 * The lines of a chat: each prompt, each text of the model, each line that the client printed. What may still grow is
 * left out: a prompt that nothing follows, and a text behind which the client has not printed anything.
 * @returns the lines, and the bytes up to which nothing is left
 */
export function parseChat(chat: Buffer, about: About): { lines: PlacedLine[]; end: number } {
  const reader = new ChatReader(about);
  let start = 0;
  let done = 0;
  let group: { kind: "prompt" | "text"; lines: string[] } | null = null;
  const close = (end: number) => {
    if (group !== null) reader.take(group.kind, group.lines.join("\n"), end);
    group = null;
    done = end;
  };
  while (start < chat.length) {
    const feed = chat.indexOf(10, start);
    if (feed === -1) break;
    const line = chat.toString("utf8", start, feed).replace(/\r$/, "");
    const [prompt, tool] = [typed.exec(line), printed.exec(line)];
    const kind = prompt ? "prompt" : tool ? "tool" : "text";
    if (group !== null && kind !== group.kind) close(start);
    if (tool !== null) reader.take("tool", tool[1] ?? "", feed + 1);
    if (prompt !== null) {
      group ??= { kind: "prompt", lines: [] };
      group.lines.push(prompt[1]!);
    } else if (kind === "text" && start > 0 && (group !== null || line.trim() !== "")) {
      group ??= { kind: "text", lines: [] };
      group.lines.push(line);
    }
    start = feed + 1;
    if (group === null) done = start;
  }
  if (about.isAtRest) close(start);
  return { lines: reader.lines, end: done };
}

/** Commands whose argument is a prompt. */
const asking = /^\/(?:ask|code|architect|context|ok|help)\s+\S/;

class ChatReader {
  readonly lines: PlacedLine[] = [];
  private readonly seen = new Map<string, number>();
  private inputs: readonly TypedInput[];
  private at: number | null;
  private model: string | null = null;
  /** The model's texts since the last prompt, whose edits the client applies. */
  private answer = "";

  constructor(private readonly about: About) {
    this.at = about.startedAt;
    this.inputs = about.inputs.filter(({ at }) => at >= about.startedAt);
  }

  take(kind: "prompt" | "text" | "tool", text: string, end: number): void {
    if (kind === "prompt") this.takePrompt(text, end);
    else if (kind === "text") this.takeText(text, end);
    else this.takeTool(text, end);
  }

  private takePrompt(written: string, end: number): void {
    const at = this.inputs.findIndex((input) => input.text.trim() === written.trim());
    if (at >= 0) {
      this.at = this.inputs[at]!.at;
      this.inputs = this.inputs.slice(at + 1);
    }
    const text = withoutOwnContext(written).trim();
    this.answer = "";
    if (text === "" || text === "<blank>") return;
    const isCommand = /^[/!]/.test(text) && !asking.test(text);
    this.add(`prompt ${written}`, isCommand ? makeTextEntries("notice", text) : makePromptEntries(text), end);
  }

  private takeText(written: string, end: number): void {
    this.answer += `${written}\n`;
    const entries = makeTextEntries("text", withoutOwnContext(written));
    if (entries.length > 0) this.add(`text ${written}`, entries, end);
  }

  private takeTool(text: string, end: number): void {
    const [, model] = /^(?:Main m|M)odel: (\S+) with /.exec(text) ?? [];
    this.model = model ?? this.model;
    const [, path] = /^Applied edit to (.+)$/.exec(text) ?? [];
    const [, command] = /^Running (.+)$/.exec(text) ?? [];
    const usage = this.parseUsage(text);
    if (path !== undefined) this.add(`tool ${text}`, this.makeEditEntries(path, text), end);
    else if (command !== undefined) this.add(`tool ${text}`, this.makeCommandEntries(command), end);
    else if (usage !== null) this.add(`tool ${text}`, [], end, usage);
    else if (text.trim() !== "" && !banner.test(text))
      this.add(`tool ${text}`, makeTextEntries("notice", withoutOwnContext(text), bounds.result), end);
  }

  private makeEditEntries(path: string, text: string): TranscriptEntry[] {
    const file = toAbsolutePath(path, this.about.cwd);
    const edit: FileEdit | null = findFileEdit(this.answer, path, file);
    const id = this.makeCallId(`edit ${path}`);
    const files = [{ path: file, how: "edit" as const }];
    return [
      makeToolUse(id, "edit", { input: { path }, files, action: "write" }),
      makeToolResult(id, { text, edits: edit && [edit] }),
    ];
  }

  /** What it printed is not in the chat. */
  private makeCommandEntries(command: string): TranscriptEntry[] {
    const id = this.makeCallId(`run ${command}`);
    const input = { command: boundText(command, bounds.input) };
    return [makeToolUse(id, "run", { input, files: [], action: "command" })];
  }

  private makeCallId(what: string): string {
    return hashIdentity([this.about.session, what, this.lines.length]).slice(0, 16);
  }

  private parseUsage(text: string): Usage | null {
    if (this.model === null) return null;
    const [, sent, more = "", received] =
      /^Tokens: ([\d.]+k?) sent,(.*?) ([\d.]+k?) received\./.exec(text) ?? [];
    if (sent === undefined || received === undefined) return null;
    const cached = (kind: string) =>
      parseTokenCount(new RegExp(`([\\d.]+k?) cache ${kind}`).exec(more)?.[1] ?? "0");
    const [cacheRead, cacheWrite] = [cached("hit"), cached("write")];
    return {
      messageId: hashIdentity([this.about.session, text, this.lines.length]),
      model: this.model,
      input: parseTokenCount(sent),
      output: parseTokenCount(received),
      cacheRead,
      cacheWrite,
    };
  }

  private add(identity: string, entries: TranscriptEntry[], end: number, usage: Usage | null = null): void {
    const count = this.seen.get(identity) ?? 0;
    this.seen.set(identity, count + 1);
    const parentUid = this.lines.at(-1)?.line.uid ?? null;
    const uid = hashIdentity([this.about.session, identity, count]);
    const { cwd } = this.about;
    const model = this.model !== null && { model: this.model };
    const line = makeTranscriptLine({ uid, parentUid, at: this.at, cwd, entries, usage, ...model });
    this.lines.push({ line, end });
  }
}

/** What the client prints at its start and after each answer, which says nothing about the conversation. */
const banner =
  /^(?:Aider v|(?:Main |Weak |Editor )?[Mm]odel: |Git repo: |Repo-map: |You can use \/undo |Use \/help |https:\/\/aider\.chat\/|Newer aider version |Restored previous conversation)/;

/** "3.2k" */
function parseTokenCount(written: string): number {
  return Math.round(Number.parseFloat(written) * (written.endsWith("k") ? 1000 : 1));
}

function hashIdentity(identity: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
}
