import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import {
  commands,
  type Disposable,
  EventEmitter,
  type ExtensionContext,
  env,
  Uri,
  window,
  workspace,
} from "vscode";
import {
  CodeActionRequest,
  type Command,
  DidChangeConfigurationNotification,
  LanguageClient,
  type Middleware,
  State,
} from "vscode-languageclient/node";
import { findProgram } from "../../../src/base/find-program.ts";
import type { RequestNamed, ResponseNamed } from "../../../src/features/index.ts";
import type { AuthoredLines } from "./authored-lines.ts";

const installDocs = "https://github.com/pommel-dev/pommel/blob/main/docs/getting-started.md";

/** `missing`: there is no `pm`; `failed`: it is no Pommel, or one that has no language server. */
type ServerState = "starting" | "running" | "missing" | "failed" | "stopped";

/** `pm lsp`, and what goes beyond the Language Server Protocol (docs/editors.md). */
export class Server implements Disposable {
  private client: LanguageClient | null = null;
  private readonly changed = new EventEmitter<void>();
  private readonly output = window.createOutputChannel("Pommel", { log: true });
  private state: ServerState = "starting";
  private hasOfferedHelp = false;

  /** Something new is known: the memory, the index or HEAD changed, or the server came or went. */
  readonly onChange = this.changed.event;

  constructor(private readonly middleware: Middleware) {}

  get isRunning(): boolean {
    return this.state === "running";
  }

  async start(): Promise<void> {
    const name = settings().get("path", "pm").trim() || "pm";
    const [command, ...args] = findProgram(name) ?? [];
    // Neither the program nor what it loads is to come from the workspace.
    const cwd = homedir();
    try {
      if (command === undefined) throw new Error("not on the PATH, or a script that only a shell can run");
      await promisify(execFile)(command, [...args, "--version"], { cwd, timeout: 20_000 });
    } catch (error) {
      this.output.warn(`${name} --version: ${error instanceof Error ? error.message : error}`);
      this.setState("missing");
      void this.offerHelp();
      return;
    }
    const client = new LanguageClient(
      "pommel",
      "Pommel",
      { command: command!, args: [...args, "lsp"], options: { cwd } },
      {
        documentSelector: [{ scheme: "file" }],
        initializationOptions: serverSettings(),
        outputChannel: this.output,
        middleware: this.middleware,
      },
    );
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.setState("running");
      if (newState === State.Stopped && this.client === client && this.isRunning) this.setState("stopped");
    });
    client.onNotification("pommel/changed", () => this.changed.fire());
    try {
      await client.start();
    } catch (error) {
      this.output.error(error instanceof Error ? error : String(error));
      this.setState("failed");
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    this.setState("starting");
    await this.start();
  }

  /** Tells the server of changed settings. */
  async configure(): Promise<void> {
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { pommel: serverSettings() },
    });
  }

  /**
   * What an operation answers (docs/http.md); null where nothing is known, or nobody answers.
   * @param uri a document or a folder of the project that is meant
   */
  async ask<R extends "searchAll" | "sessions" | "related" | "impact" | "annotations">(
    operation: R,
    input: Partial<RequestNamed<R>>,
    uri: Uri,
  ): Promise<ResponseNamed<R> | null> {
    return this.request<ResponseNamed<R> | null>(
      "pommel/ask",
      { operation, input, uri: uri.toString() },
      null,
    );
  }

  /** Writes a note on lines of an open document; false: it was not possible, which is said. */
  async writeNote(
    uri: Uri,
    { first, last }: { first: number; last: number },
    note: string,
  ): Promise<boolean> {
    if (!this.client || !this.isRunning) return false;
    try {
      await this.client.sendRequest("pommel/note", {
        textDocument: { uri: uri.toString() },
        first,
        last,
        note,
      });
      return true;
    } catch (error) {
      void window.showErrorMessage(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Who wrote which lines of an open document; its file from the project's root, null in no project. */
  async blame(uri: Uri): Promise<{ file: string | null; ranges: AuthoredLines[] }> {
    return this.request(
      "pommel/blame",
      { textDocument: { uri: uri.toString() } },
      { file: null, ranges: [] },
    );
  }

  /** The roots of all projects that are open. */
  async roots(): Promise<Uri[]> {
    const { projects } = await this.request<{ projects: { root: string }[] }>(
      "pommel/projects",
      {},
      { projects: [] },
    );
    return projects.map(({ root }) => Uri.file(root));
  }

  /** The command that the server offers for the selection of the active editor; null: it offers none. */
  async commandHere(name: string): Promise<Command | null> {
    const editor = window.activeTextEditor;
    if (!editor || !this.client || !this.isRunning) return null;
    const converter = this.client.code2ProtocolConverter;
    const actions = await this.client.sendRequest(CodeActionRequest.type, {
      textDocument: converter.asTextDocumentIdentifier(editor.document),
      range: converter.asRange(editor.selection),
      context: { diagnostics: [] },
    });
    const command = actions?.map((action) => (typeof action.command === "object" ? action.command : null));
    return command?.find((one) => one?.command === name) ?? null;
  }

  async dispose(): Promise<void> {
    this.changed.dispose();
    await this.stop();
    this.output.dispose();
  }

  private async request<T>(method: string, params: object, otherwise: T): Promise<T> {
    if (!this.client || !this.isRunning) return otherwise;
    try {
      return await this.client.sendRequest<T>(method, params);
    } catch (error) {
      this.output.warn(`${method}: ${error instanceof Error ? error.message : error}`);
      return otherwise;
    }
  }

  private async stop(): Promise<void> {
    const { client } = this;
    this.client = null;
    try {
      await client?.dispose();
    } catch {
      // It never started, or is gone.
    }
  }

  private setState(state: ServerState): void {
    this.state = state;
    void commands.executeCommand("setContext", "pommel.state", state);
    this.changed.fire();
  }

  private async offerHelp(): Promise<void> {
    if (this.hasOfferedHelp) return;
    this.hasOfferedHelp = true;
    const [install, choose] = ["How to Install It", "Choose Another pm"];
    const chosen = await window.showWarningMessage(
      "Pommel needs the command `pm`, which is not on this editor's PATH.",
      install,
      choose,
    );
    if (chosen === install) await openInstallDocs();
    if (chosen === choose) await commands.executeCommand("workbench.action.openSettings", "pommel.path");
  }
}

const openInstallDocs = () => env.openExternal(Uri.parse(installDocs));

export const settings = () => workspace.getConfiguration("pommel");

const serverSettings = () => ({
  code_lens: settings().get("codeLens", false),
  diagnostics: settings().get("diagnostics", true),
});

export function registerServerCommands({ subscriptions }: ExtensionContext, server: Server): void {
  subscriptions.push(
    server,
    commands.registerCommand("pommel.restart", () => server.restart()),
    commands.registerCommand("pommel.install", openInstallDocs),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("pommel.path")) await server.restart();
      else if (event.affectsConfiguration("pommel")) await server.configure();
    }),
  );
}
