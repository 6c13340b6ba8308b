import { statSync } from "node:fs";
import { basename } from "node:path";
import {
  type CodeAction,
  CodeActionKind,
  CodeLensRefreshRequest,
  type Connection,
  createConnection,
  type Diagnostic,
  DiagnosticSeverity,
  type InitializeResult,
  ProposedFeatures,
  type Range,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import * as z from "zod/mini";
import { wordAsMarkdown } from "../../answers/word-as-markdown.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { version } from "../../base/version.ts";
import { call } from "../../client/call.ts";
import { startMissingDaemon } from "../../client/start-missing-daemon.ts";
import { labelSuperseded } from "../../features/decisions/words.ts";
import { createPageUrl, pageRoutes } from "../../features/page/page-url.ts";
import { readWriteMarks } from "../../features/status/state.ts";
import { why } from "../../features/why/operation.ts";
import { wordWhyInShort } from "../../features/why/words.ts";
import { makeCommitUrl } from "../../git/commit-url.ts";
import { findGitDirectory, locateHeadLog } from "../../git/git-dir.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import { findRemote } from "../../git/projects/identity.ts";
import { setOwnChannel } from "../../protocol/channel.ts";
import { buildLenses, findSuperseded } from "./authors.ts";
import { answerCommands, type CommandName, commands } from "./commands.ts";
import { findNamedThings } from "./hover.ts";
import { answerOwnRequests, OpenDocuments } from "./open-documents.ts";
import { type DocumentFile, searchSymbols, toWholeLineRange } from "./places.ts";

/** Milliseconds. */
const pollIntervalMs = 2_000;

/** Calls back when the memory, the index or HEAD of one of the projects has changed. It only stats a few files. */
function watchProjects(
  projects: () => Promise<readonly Project[]>,
  onChange: (roots: readonly string[]) => void,
): void {
  let before: ReadonlyMap<string, string> = new Map();
  const look = async () => {
    try {
      const now = new Map((await projects()).map((project) => [project.root, computeProjectStamp(project)]));
      const changed = [...now].filter(([root, mark]) => before.has(root) && before.get(root) !== mark);
      before = now;
      if (changed.length > 0) onChange(changed.map(([root]) => root));
    } catch {
      // A directory was deleted meanwhile: look again next time.
    }
    setTimeout(look, pollIntervalMs).unref();
  };
  void look();
}

function computeProjectStamp(project: Project): string {
  const git = findGitDirectory(project.root);
  const head = git === null ? undefined : statSync(locateHeadLog(git), { throwIfNoEntry: false });
  return JSON.stringify([readWriteMarks(project), head?.mtimeMs, head?.size]);
}

/** The settings that an editor may send: in `initializationOptions`, or later as the section `pommel` of its settings. */
const settingsShape = z.object({
  /** Shows above each function who wrote it. */
  code_lens: z._default(z.boolean(), false),
  /** Shows the same at the end of the function's first line, for editors without lenses. */
  inlay_hints: z._default(z.boolean(), false),
  /** Shows a hint on lines that were written because of a decision which a later one contradicts. */
  diagnostics: z._default(z.boolean(), true),
});
type Settings = z.infer<typeof settingsShape>;

/** Answers an editor: see `startLsp`. */
function serve(connection: Connection): void {
  const documents = new OpenDocuments();
  let settings: Settings = z.parse(settingsShape, {});
  const can = { show: false, followFolders: false, refreshLenses: false, refreshHints: false };
  /** The remote by the checkout's root, so that a hover need not ask git each time. */
  const remotes = new Map<string, Promise<string | null>>();

  const applySettings = (given: unknown) => {
    const parsed = z.safeParse(settingsShape, given ?? {});
    if (parsed.success) settings = parsed.data;
    else connection.console.warn(`pommel: settings are not understood: ${parsed.error.issues[0]?.message}`);
  };

  function readRemote(root: string): Promise<string | null> {
    const known = remotes.get(root) ?? findRemote(root);
    remotes.set(root, known);
    return known;
  }

  /** The saved lines of a range of a document, both inclusive; null if all lines are new. */
  function toSavedRange(
    { lines }: DocumentFile,
    { start, end }: Range,
  ): { first: number; last: number } | null {
    // A selection of whole lines ends before the first character of the next.
    const last = end.line > start.line && end.character === 0 ? end.line - 1 : end.line;
    const saved = Array.from({ length: last - start.line + 1 }, (_, i) => lines.toSaved(start.line + i + 1));
    const there = saved.filter((line) => line !== null);
    return there.length === 0 ? null : { first: Math.min(...there), last: Math.max(...there) };
  }

  async function diagnose(uri: string): Promise<void> {
    if (!settings.diagnostics) return connection.sendDiagnostics({ uri, diagnostics: [] });
    const place = await documents.placeAt(uri);
    const found = place === null ? [] : await findSuperseded(place, await documents.readAuthorsAt(uri));
    const diagnostics = found.map(
      ({ start, end, decision }): Diagnostic => ({
        range: toWholeLineRange(start, end),
        severity: DiagnosticSeverity.Hint,
        source: "pommel",
        message: `Written for a decision: ${decision.text}\n${labelSuperseded(decision)}: ${decision.superseded_by}`,
      }),
    );
    return connection.sendDiagnostics({ uri, diagnostics });
  }

  /** Makes the editor ask again for everything except hovers and actions, for which it asks when somebody wants them. */
  function refreshAll(): void {
    for (const { uri } of documents.texts.all()) void quietly(diagnose, undefined)(uri);
    if (can.refreshLenses) void connection.sendRequest(CodeLensRefreshRequest.type);
    if (can.refreshHints) void connection.languages.inlayHint.refresh();
  }

  /** Logs a failure and returns `otherwise`: nothing that Pommel shows is worth an error box. */
  const quietly =
    <Args extends unknown[], T>(answer: (...args: Args) => Promise<T>, otherwise: T) =>
    async (...args: Args): Promise<T> => {
      try {
        return await answer(...args);
      } catch (error) {
        connection.console.warn(`pommel: ${getErrorMessage(error)}`);
        return otherwise;
      }
    };

  connection.onInitialize(
    ({ capabilities, initializationOptions, workspaceFolders, rootUri }): InitializeResult => {
      applySettings(initializationOptions);
      documents.changeFolders(workspaceFolders ?? (rootUri === null ? [] : [{ uri: rootUri, name: "" }]), []);
      can.show = capabilities.window?.showDocument?.support ?? false;
      can.followFolders = capabilities.workspace?.workspaceFolders ?? false;
      can.refreshLenses = capabilities.workspace?.codeLens?.refreshSupport ?? false;
      can.refreshHints = capabilities.workspace?.inlayHint?.refreshSupport ?? false;
      return {
        serverInfo: { name: "pommel", version },
        capabilities: {
          textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
          hoverProvider: true,
          codeLensProvider: {},
          inlayHintProvider: true,
          codeActionProvider: { codeActionKinds: [CodeActionKind.Empty] },
          documentLinkProvider: { resolveProvider: true },
          workspaceSymbolProvider: true,
          executeCommandProvider: { commands: [...commands] },
          workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
        },
      };
    },
  );

  connection.onDidChangeConfiguration(({ settings: given }) => {
    // Some clients first send empty settings: then those from `initializationOptions` stay.
    const own = (given as { pommel?: unknown } | null)?.pommel;
    if (own !== undefined) applySettings(own);
    refreshAll();
  });

  connection.onHover(
    quietly(async ({ textDocument: { uri }, position: { line } }) => {
      const place = await documents.placeAt(uri);
      if (place === null) return null;
      const saved = place.lines.toSaved(line + 1);
      if (saved === null) return { contents: { kind: "markdown", value: "Not saved yet." } } as const;
      const [answer, remote] = await Promise.all([
        call(why, { file: place.file, first_line: saved, brief: true }, place.project),
        readRemote(place.project.root),
      ]);
      const value = wordAsMarkdown(wordWhyInShort(answer, "person"), (hash) => makeCommitUrl(remote, hash));
      return value === ""
        ? null
        : { contents: { kind: "markdown", value }, range: toWholeLineRange(line, line) };
    }, null),
  );

  const lensesAt = async (uri: string) => {
    const place = await documents.placeAt(uri);
    return place === null ? [] : buildLenses(place, await documents.readAuthorsAt(uri));
  };

  connection.onCodeLens(
    quietly(async ({ textDocument: { uri } }) => {
      if (!settings.code_lens) return [];
      return (await lensesAt(uri)).map(({ line, text, session }) => ({
        range: toWholeLineRange(line, line),
        command:
          session === null
            ? { title: text, command: "" }
            : { title: text, command: "pommel.openSession", arguments: [uri, session.id, session.turn] },
      }));
    }, []),
  );

  connection.languages.inlayHint.on(
    quietly(async ({ textDocument: { uri }, range }) => {
      const document = documents.texts.get(uri);
      if (!settings.inlay_hints || !document) return [];
      return (await lensesAt(uri))
        .filter(({ line }) => line >= range.start.line && line <= range.end.line)
        .map(({ line, text }) => ({ position: findLineEnd(document, line), label: text, paddingLeft: true }));
    }, []),
  );

  connection.onCodeAction(
    quietly(async ({ textDocument: { uri }, range }) => {
      const place = await documents.placeAt(uri);
      const lines = place === null ? null : toSavedRange(place, range);
      if (place === null || lines === null) return [];
      const authors = await documents.readAuthorsAt(uri);
      const author = authors.find(
        ({ session_id, first_line, last_line }) =>
          session_id !== null && first_line <= lines.last && last_line >= lines.first,
      );
      const span = `${place.file}:${lines.first}-${lines.last}`;
      const text = documents.texts.get(uri)?.getText(range).trim() ?? "";
      const about = text !== "" && !text.includes("\n") ? text.slice(0, 200) : basename(place.file);
      const action = (title: string, command: CommandName, ...args: unknown[]): CodeAction => ({
        title,
        kind: CodeActionKind.Empty,
        command: { title, command, arguments: [uri, ...args] },
      });
      return [
        ...(author
          ? [action("Pommel: open the session", "pommel.openSession", author.session_id, author.turn)]
          : []),
        action("Pommel: search past sessions about this", "pommel.searchSessions", about),
        action("Pommel: show what a change here may touch", "pommel.impact", span),
      ];
    }, []),
  );

  connection.onDocumentLinks(
    quietly(async ({ textDocument: { uri } }) => {
      const [document, place] = [documents.texts.get(uri), await documents.placeAt(uri)];
      if (!document || place === null) return [];
      return (await findNamedThings(document.getText(), place.project)).map(({ start, end, kind, id }) => ({
        range: { start: document.positionAt(start), end: document.positionAt(end) },
        tooltip: `Open the ${kind} in Pommel`,
        // The address signs a browser in once, so it is made only when somebody follows the link.
        data: { root: place.project.root, kind, id },
      }));
    }, []),
  );

  connection.onDocumentLinkResolve(async (link) => {
    const { root, kind, id } = z.parse(linkData, link.data);
    const project = await findProjectIfAny(root);
    if (project === null) return link;
    const route = kind === "commit" ? pageRoutes.commit(id) : pageRoutes.session(id, null);
    return { ...link, target: (await createPageUrl(project, route)).url };
  });

  connection.onWorkspaceSymbol(
    quietly(async ({ query }) => {
      if (query.trim() === "") return [];
      const found = await Promise.all(
        (await documents.listProjects()).map((one) => searchSymbols(one, query)),
      );
      return found.flat();
    }, []),
  );

  answerCommands(connection, documents, { canShow: () => can.show });
  answerOwnRequests(connection, documents);

  const { texts } = documents;
  texts.onDidOpen(({ document }) => void quietly(diagnose, undefined)(document.uri));
  texts.onDidSave(({ document }) => {
    // The document has the same version, but the saved file has changed.
    documents.forget(document.uri);
    void quietly(diagnose, undefined)(document.uri);
  });
  texts.onDidClose(({ document }) => documents.forget(document.uri));
  texts.listen(connection);
  connection.onInitialized(() => {
    if (can.followFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) =>
        documents.changeFolders(added, removed),
      );
    }
    watchProjects(
      () => documents.listKnownProjects(),
      (roots) => {
        documents.forget();
        refreshAll();
        void connection.sendNotification("pommel/changed", { roots });
      },
    );
  });
  connection.listen();
}

const linkData = z.object({ root: z.string(), kind: z.enum(["commit", "session"]), id: z.string() });
const findLineEnd = (document: TextDocument, line: number) =>
  document.positionAt(document.offsetAt({ line: line + 1, character: 0 }) - 1);

/**
 * Serves an editor over the Language Server Protocol on stdin and stdout until the editor exits or stdin closes. It only answers
 * questions: the daemon indexes and records.
 */
export function startLsp(): void {
  setOwnChannel("lsp");
  serve(createConnection(ProposedFeatures.all, process.stdin, process.stdout));
  void startMissingDaemon();
}
