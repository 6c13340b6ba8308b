import {
  type Disposable,
  type ExtensionContext,
  Range,
  StatusBarAlignment,
  type TextDocument,
  type TextEditor,
  type TextEditorDecorationType,
  Uri,
  window,
  workspace,
} from "vscode";
import { type AuthoredLines, authorOf, linesAt } from "./authored-lines.ts";
import { type Server, settings } from "./server.ts";

const marked = ["agent", "human", "unknown"] as const;
/** After the last key: each change of a document asks who wrote its lines. Milliseconds. */
const debounceMs = 400;

/** Shows who wrote the lines of visible editors: in the gutter all of them, in the status bar that of the cursor. */
export class Authors implements Disposable {
  private readonly known = new Map<string, readonly AuthoredLines[]>();
  private readonly decorations: Record<(typeof marked)[number], TextEditorDecorationType>;
  private readonly status = window.createStatusBarItem("pommel.author", StatusBarAlignment.Right, 99);
  private readonly subscriptions: Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    { extensionUri }: ExtensionContext,
  ) {
    const icon = (name: string) => ({
      gutterIconPath: Uri.joinPath(extensionUri, "media", `${name}.svg`),
      gutterIconSize: "100% 100%",
    });
    const typeOf = (author: string) =>
      window.createTextEditorDecorationType({ light: icon(`${author}-light`), dark: icon(`${author}-dark`) });
    this.decorations = { agent: typeOf("agent"), human: typeOf("human"), unknown: typeOf("unknown") };
    this.status.name = "Pommel: author of the line";
    this.status.command = "pommel.why";
    const soon = () => this.refreshSoon();
    this.subscriptions = [
      this.status,
      ...Object.values(this.decorations),
      server.onChange(soon),
      window.onDidChangeVisibleTextEditors(soon),
      window.onDidChangeActiveTextEditor(() => this.showAuthor()),
      window.onDidChangeTextEditorSelection(() => this.showAuthor()),
      workspace.onDidChangeTextDocument(({ document }) => isShown(document) && soon()),
      workspace.onDidSaveTextDocument(soon),
      workspace.onDidCloseTextDocument(({ uri }) => this.known.delete(uri.toString())),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("pommel.gutter") && soon()),
    ];
  }

  /** Of a line, counted from 0, as far as it was asked for. */
  at(uri: Uri, line: number): AuthoredLines | undefined {
    return linesAt(this.known.get(uri.toString()) ?? [], line);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of this.subscriptions) one.dispose();
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), debounceMs);
  }

  private async refresh(): Promise<void> {
    const editors = window.visibleTextEditors.filter(({ document }) => document.uri.scheme === "file");
    await Promise.all(editors.map((editor) => this.mark(editor)));
    this.showAuthor();
  }

  private async mark(editor: TextEditor): Promise<void> {
    const { uri, version } = editor.document;
    const { ranges } = await this.server.blame(uri);
    // It was edited meanwhile, and is asked for again.
    if (editor.document.version !== version) return;
    this.known.set(uri.toString(), ranges);
    const isWanted = settings().get("gutter", true);
    for (const author of marked) {
      const lines = isWanted ? ranges.filter((range) => range.author === author) : [];
      editor.setDecorations(
        this.decorations[author],
        lines.map(({ start, end }) => new Range(start, 0, end, 0)),
      );
    }
  }

  private showAuthor(): void {
    const editor = window.activeTextEditor;
    const lines = editor && this.at(editor.document.uri, editor.selection.active.line);
    if (lines === undefined) {
      this.status.hide();
      return;
    }
    const icons = { agent: "sparkle", human: "person", unknown: "question", before_agents: "history" };
    this.status.text = `$(${icons[lines.author]}) ${authorOf(lines)}`;
    this.status.tooltip = [lines.session_title, lines.subject, "Why is this line here?"]
      .filter((part) => part !== null)
      .join("\n");
    this.status.show();
  }
}

const isShown = (document: TextDocument) =>
  window.visibleTextEditors.some((editor) => editor.document === document);
