import { randomUUID } from "node:crypto";
import { type Disposable, env, Selection, UIKind, Uri, ViewColumn, type WebviewPanel, window } from "vscode";
import { type FromPage, framePage, parseFileAddress } from "./page-frame.ts";
import { type Server, settings } from "./server.ts";

/** Pommel's page in a tab of the editor. */
export class PageTab implements Disposable {
  private panel: WebviewPanel | undefined;

  constructor(private readonly server: () => Server) {}

  /**
   * Shows an address of the page.
   * @returns false where it is for a browser: it is another address, the person wants it so, or the page would be on another
   *   machine than the editor's windows
   */
  show(address: string): boolean {
    const isHere = env.uiKind === UIKind.Desktop && env.remoteName === undefined;
    const isPage = /^http:\/\/127\.0\.0\.1:\d+\/#code=/.test(address);
    if (!isHere || !isPage || settings().get("page") === "browser") return false;
    this.panel ??= this.open();
    this.panel.webview.html = framePage(address, randomUUID());
    this.panel.reveal();
    return true;
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): WebviewPanel {
    // Whoever comes back to the tab finds what they left.
    const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] };
    const panel = window.createWebviewPanel("pommel.page", "Pommel", ViewColumn.Active, options);
    panel.webview.onDidReceiveMessage(({ open }: FromPage) => this.openFile(open));
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  /** Opens a file of a project that is open, and no other. */
  private async openFile(address: unknown): Promise<void> {
    const place = parseFileAddress(address);
    if (place === null) return;
    const file = Uri.file(place.path);
    const roots = await this.server().roots();
    if (!roots.some((root) => file.path.startsWith(`${root.path.replace(/\/$/, "")}/`))) return;
    const line = place.line - 1;
    await window.showTextDocument(file, { selection: new Selection(line, 0, line, 0) });
  }
}
