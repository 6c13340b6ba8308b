import {
  type Comment,
  CommentMode,
  type CommentReply,
  type CommentThread,
  CommentThreadCollapsibleState,
  commands,
  comments,
  type Disposable,
  MarkdownString,
  Range,
  type TextDocument,
  type Uri,
  window,
  workspace,
} from "vscode";
import type { Note as SavedNote } from "../../../src/features/notes/operation.ts";
import { labelNote } from "../../../src/protocol/origin.ts";
import type { Server } from "./server.ts";

/** Notes that are shown of a file. */
const limit = 200;
const debounceMs = 300;

/** Notes on lines, in the editor's margin, where others are written as well. */
export class LineNotes implements Disposable {
  private readonly controller = comments.createCommentController("pommel.notes", "Pommel notes");
  private readonly subscriptions: Disposable[];
  private threads: CommentThread[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.controller.options = {
      prompt: "Note for whoever comes here next",
      placeHolder: "What should be remembered, and why?",
    };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document: TextDocument) =>
        this.server.isRunning && document.uri.scheme === "file"
          ? [new Range(0, 0, Math.max(0, document.lineCount - 1), 0)]
          : [],
    };
    const soon = () => this.refreshSoon();
    this.subscriptions = [
      this.controller,
      server.onChange(soon),
      window.onDidChangeVisibleTextEditors(soon),
      workspace.onDidSaveTextDocument(soon),
      commands.registerCommand("pommel.saveNote", (reply: CommentReply) => this.save(reply)),
    ];
    soon();
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), debounceMs);
  }

  /** Those of the files in sight. What is not saved has lines of its own: its threads move with them until then. */
  private async refresh(): Promise<void> {
    const documents = window.visibleTextEditors
      .map(({ document }) => document)
      .filter(({ uri, isDirty }) => uri.scheme === "file" && !isDirty);
    const found = await Promise.all(
      documents.map(async ({ uri }) => {
        const { file } = await this.server.blame(uri);
        const answer = file === null ? null : await this.server.ask("annotations", { file, limit }, uri);
        return (answer?.annotations ?? []).map((note) => ({ uri, note }));
      }),
    );
    const dirty = new Set(
      workspace.textDocuments.flatMap(({ uri, isDirty }) => (isDirty ? [uri.toString()] : [])),
    );
    const [kept, old] = [true, false].map((isKept) =>
      this.threads.filter(({ uri }) => dirty.has(uri.toString()) === isKept),
    );
    for (const thread of old!) thread.dispose();
    this.threads = [...kept!, ...found.flat().flatMap(({ uri, note }) => this.show(uri, note))];
  }

  private show(uri: Uri, note: SavedNote): CommentThread[] {
    const { lines } = note;
    if (lines === null || lines.state === "gone") return [];
    const range = new Range(lines.first_line - 1, 0, lines.last_line - 1, 0);
    const thread = this.controller.createCommentThread(uri, range, [toComment(note)]);
    thread.canReply = false;
    thread.collapsibleState = CommentThreadCollapsibleState.Collapsed;
    thread.label = lines.state === "changed" ? "Pommel: the lines changed since" : "Pommel";
    return [thread];
  }

  private async save({ thread, text }: CommentReply): Promise<void> {
    const { range, uri } = thread;
    const note = text.trim();
    if (range === undefined || note === "") return;
    const isSaved = await this.server.writeNote(uri, { first: range.start.line, last: range.end.line }, note);
    if (!isSaved) return;
    thread.dispose();
    this.refreshSoon();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const thread of this.threads) thread.dispose();
    for (const one of this.subscriptions) one.dispose();
  }
}

/** Past text formats and links nothing. */
const toComment = (note: SavedNote): Comment => ({
  body: new MarkdownString().appendText(note.note),
  mode: CommentMode.Preview,
  author: { name: labelNote(note, "person") },
  timestamp: new Date(note.timestamp),
});
