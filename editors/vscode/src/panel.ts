import { basename } from "node:path";
import {
  commands,
  type Disposable,
  EventEmitter,
  MarkdownString,
  Selection,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeView,
  type Uri,
  window,
  workspace,
} from "vscode";
import { formatRelativeTime } from "../../../src/base/text/relative-time.ts";
import type { SessionSummary } from "../../../src/features/sessions/operation.ts";
import { isRunning } from "../../../src/protocol/reading/running.ts";
import { shortenSessionId } from "../../../src/protocol/reading/short-id.ts";
import { countLines, type FileSession, sessionsOf } from "./file-sessions.ts";
import type { Server } from "./server.ts";

/** Sessions that end without saying so, and times that are told as "5 minutes ago". Milliseconds. */
const refreshMs = 60_000;
const debounceMs = 300;
const limit = 30;

/** A view of the panel, filled anew whenever something happened and it is seen. */
abstract class View<T> implements TreeDataProvider<T>, Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private readonly interval = setInterval(() => this.refreshSoon(), refreshMs);
  private timer: NodeJS.Timeout | undefined;
  protected readonly view: TreeView<T>;
  protected items: T[] = [];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    protected readonly server: Server,
    id: string,
  ) {
    this.view = window.createTreeView<T>(id, { treeDataProvider: this });
    this.subscriptions = [
      this.view,
      this.changed,
      server.onChange(() => this.refreshSoon()),
      this.view.onDidChangeVisibility(() => this.refreshSoon()),
    ];
  }

  protected abstract load(): Promise<T[]>;
  abstract getTreeItem(item: T): TreeItem;

  getChildren(item?: T): T[] {
    return item === undefined ? this.items : [];
  }

  /** Whether anybody sees what it has. */
  protected get isSeen(): boolean {
    return this.view.visible;
  }

  protected refreshSoon(): void {
    clearTimeout(this.timer);
    if (this.isSeen) this.timer = setTimeout(() => void this.refresh(), debounceMs);
  }

  protected alsoOn(...subscriptions: Disposable[]): void {
    this.subscriptions.push(...subscriptions);
  }

  private async refresh(): Promise<void> {
    this.items = await this.load();
    this.changed.fire();
  }

  dispose(): void {
    clearInterval(this.interval);
    clearTimeout(this.timer);
    for (const one of this.subscriptions) one.dispose();
  }
}

interface RunningSession {
  session: SessionSummary;
  root: Uri;
}

/** Agents at work in the open folders. */
export class RunningNow extends View<RunningSession> {
  constructor(server: Server) {
    super(server, "pommel.running");
    this.refreshSoon();
  }

  /** Its count is on the panel's icon, also while the panel is closed. */
  protected override get isSeen(): boolean {
    return window.state.focused || super.isSeen;
  }

  protected async load(): Promise<RunningSession[]> {
    const answers = await Promise.all(
      (await this.server.roots()).map(async (root) => {
        const answer = await this.server.ask("sessions", { limit }, root);
        return (answer?.sessions ?? [])
          .filter((session) => isRunning(session))
          .map((session) => ({ session, root }));
      }),
    );
    const running = answers.flat();
    this.view.message = this.server.isRunning && running.length === 0 ? "No agent is at work." : "";
    this.view.badge =
      running.length === 0
        ? undefined
        : {
            value: running.length,
            tooltip: running.length === 1 ? "1 agent at work" : `${running.length} agents at work`,
          };
    return running;
  }

  getTreeItem({ session, root }: RunningSession): TreeItem {
    const item = new TreeItem(nameOf(session.id, session.title));
    const folders = workspace.workspaceFolders?.length ?? 0;
    item.description = [session.doing ?? session.agent, ...(folders > 1 ? [basename(root.fsPath)] : [])].join(
      " · ",
    );
    item.iconPath = new ThemeIcon("circle-filled", new ThemeColor("charts.green"));
    item.tooltip = tooltipOf([
      nameOf(session.id, session.title),
      `${session.agent}, ${session.turns} turns${session.branch === null ? "" : `, on ${session.branch}`}`,
      ...(session.doing == null ? [] : [session.doing]),
    ]);
    item.command = openSession(root, session.id, null);
    return item;
  }
}

type FileItem = { session: FileSession; uri: Uri; turn?: FileSession["turns"][number] };

/** Sessions that touched the file of the active editor, each with its turns. */
export class ThisFile extends View<FileItem> {
  private former: Uri | undefined;

  constructor(server: Server) {
    super(server, "pommel.file");
    const soon = () => this.refreshSoon();
    this.alsoOn(
      window.onDidChangeActiveTextEditor(soon),
      workspace.onDidSaveTextDocument(soon),
      commands.registerCommand("pommel.showLines", selectLines),
    );
    this.refreshSoon();
  }

  protected async load(): Promise<FileItem[]> {
    if (!this.server.isRunning) {
      // The view's welcome says what to do.
      this.view.message = this.view.description = "";
      return [];
    }
    // A tab that is no file, as the page's is, leaves the file that was shown before it.
    const { activeTab } = window.tabGroups.activeTabGroup;
    const uri = window.activeTextEditor?.document.uri ?? (activeTab && this.former);
    this.former = uri;
    this.view.description = uri === undefined ? "" : basename(uri.fsPath);
    if (uri === undefined) return this.nothing("Open a file to see the sessions that touched it.");
    const { file, ranges } = await this.server.blame(uri);
    if (file === null) return this.nothing("This file is in no project.");
    const related = await this.server.ask("related", { file: [file], limit }, uri);
    const sessions = sessionsOf(ranges, related?.sessions ?? []);
    if (sessions.length === 0) return this.nothing("No known session touched this file.");
    this.view.message = "";
    return sessions.map((session) => ({ session, uri }));
  }

  private nothing(message: string): FileItem[] {
    this.view.message = message;
    return [];
  }

  override getChildren(item?: FileItem): FileItem[] {
    if (item === undefined) return this.items;
    return item.turn ? [] : item.session.turns.map((turn) => ({ ...item, turn }));
  }

  getTreeItem({ session, uri, turn }: FileItem): TreeItem {
    const { id, title, agent, lastAt, lines, hasChanged } = session;
    if (turn) {
      const item = new TreeItem(oneLine(turn.prompt));
      item.description = `turn ${turn.turn}`;
      item.iconPath = new ThemeIcon("comment");
      item.tooltip = tooltipOf([turn.prompt]);
      item.command = openSession(uri, id, turn.turn);
      return item;
    }
    const name = nameOf(id, title);
    const item = new TreeItem(
      name,
      session.turns.length > 0 ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None,
    );
    item.id = `${uri}#${id}`;
    const count = countLines(lines);
    const left = count === 1 ? "1 line" : `${count} lines`;
    item.description = [
      count > 0 ? left : hasChanged ? null : "only read it",
      lastAt === null ? null : formatRelativeTime(Date.parse(lastAt)),
      agent ?? "agent",
    ]
      .filter((part) => part !== null)
      .join(" · ");
    item.iconPath = new ThemeIcon(hasChanged ? "sparkle" : "eye");
    item.tooltip = tooltipOf([
      name,
      item.description,
      hasChanged && count === 0 ? "None of its lines is left." : "",
    ]);
    item.contextValue = count > 0 ? "sessionWithLines" : "session";
    item.command = openSession(uri, id, null);
    return item;
  }
}

/** Selects the lines of a session that are left in its file. */
async function selectLines({ session, uri }: FileItem): Promise<void> {
  const editor = await window.showTextDocument(uri);
  const [first, ...others] = session.lines.map(
    ({ start, end }) => new Selection(start, 0, end, editor.document.lineAt(end).text.length),
  );
  if (first === undefined) return;
  editor.selections = [first, ...others];
  editor.revealRange(first);
}

const nameOf = (id: string, title: string | null) =>
  oneLine(title ?? "") || `Session ${shortenSessionId(id)}`;

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

const openSession = (uri: Uri, id: string, turn: number | null) => ({
  title: "Open session",
  command: "pommel.openSession",
  arguments: [uri.toString(), id, turn],
});

/** Past text formats and links nothing. */
function tooltipOf(paragraphs: readonly string[]): MarkdownString {
  const tooltip = new MarkdownString();
  paragraphs
    .filter((text) => text !== "")
    .forEach((text, i) => {
      if (i > 0) tooltip.appendMarkdown("\n\n");
      tooltip.appendText(text);
    });
  return tooltip;
}
