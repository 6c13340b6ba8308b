import {
  CodeActionTriggerKind,
  commands,
  type ExtensionContext,
  Hover,
  MarkdownString,
  Uri,
  window,
} from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { Authors } from "./authors.ts";
import { LineNotes } from "./notes.ts";
import { PageTab } from "./page.ts";
import { RunningNow, ThisFile } from "./panel.ts";
import { search, showImpact } from "./search.ts";
import { registerServerCommands, Server } from "./server.ts";

export function activate(context: ExtensionContext): void {
  const middleware: Middleware = {
    async provideHover(document, position, token, next) {
      const hover = await next(document, position, token);
      const lines = authors.at(document.uri, position.line);
      if (!hover || !lines?.session_id) return hover;
      // Only this link, of our own making, may run anything: past text stays text.
      const link = new MarkdownString(
        `[Open the session](${commandUri("pommel.openSession", [document.uri.toString(), lines.session_id, lines.turn])})`,
      );
      link.isTrusted = { enabledCommands: ["pommel.openSession"] };
      return new Hover([...hover.contents, link], hover.range);
    },
    // Else a light bulb would be at every line.
    provideCodeActions: (document, range, actions, token, next) =>
      actions.triggerKind === CodeActionTriggerKind.Invoke ? next(document, range, actions, token) : [],
    executeCommand(command, args, next) {
      const [uri, what]: unknown[] = args;
      if (typeof what === "string" && command === "pommel.searchSessions") {
        return search(server, { query: what, only: "sessions" });
      }
      if (typeof what === "string" && typeof uri === "string" && command === "pommel.impact") {
        return showImpact(server, what, Uri.parse(uri));
      }
      return next(command, args);
    },
    window: {
      showDocument: (params, token, next) =>
        params.external === true && page.show(params.uri) ? { success: true } : next(params, token),
    },
  };
  const page = new PageTab(() => server);
  const server = new Server(middleware);
  const authors = new Authors(server, context);
  registerServerCommands(context, server);
  context.subscriptions.push(
    authors,
    page,
    new RunningNow(server),
    new ThisFile(server),
    new LineNotes(server),
    ...ownCommands(server),
  );
  void server.start();
}

const ownCommands = (server: Server) =>
  Object.entries({
    "pommel.why": () => commands.executeCommand("editor.action.showHover"),
    "pommel.sessionOfLine": () => here(server, "pommel.openSession", "No known session wrote this line."),
    "pommel.sessionsAbout": () =>
      here(server, "pommel.searchSessions", "This file is in no project, or not saved."),
    "pommel.touches": () => here(server, "pommel.impact", "This file is in no project, or not saved."),
    "pommel.search": () => search(server, {}),
    "pommel.reviewChanges": async () => commands.executeCommand("pommel.review", await projectUri(server)),
    "pommel.page": async () =>
      commands.executeCommand(
        "pommel.openPage",
        await projectUri(server),
        window.activeTextEditor?.selection.active.line ?? null,
      ),
  }).map(([name, run]) =>
    commands.registerCommand(name, async () => {
      if (server.isRunning) await run();
      else await commands.executeCommand("workbench.view.extension.pommel");
    }),
  );

/** Runs what the server offers for the selection. */
async function here(server: Server, command: string, otherwise: string): Promise<void> {
  const offered = await server.commandHere(command);
  if (offered) await commands.executeCommand(offered.command, ...(offered.arguments ?? []));
  else void window.showInformationMessage(otherwise);
}

/** Of the active editor, or of the first project. */
async function projectUri(server: Server): Promise<string | undefined> {
  const uri = window.activeTextEditor?.document.uri;
  return (uri?.scheme === "file" ? uri : (await server.roots())[0])?.toString();
}

const commandUri = (command: string, args: unknown[]) =>
  `command:${command}?${encodeURIComponent(JSON.stringify(args))}`;
