import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  type InitializeResult,
  MessageType,
  type Range,
  ShowMessageNotification,
  SymbolKind,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as z from "zod/mini";
import { call } from "../client/call.ts";
import { pageRoutes, pageUrl } from "../client/page-url.ts";
import { commitUrl } from "../git/commit-url.ts";
import { findProjectIfAny } from "../git/projects/find-project.ts";
import { remoteOf } from "../git/projects/identity.ts";
import { messageOf } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import { version } from "../project/version.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import { routes } from "../protocol/routes.ts";
import { type AuthoredLines, authorsOf } from "./authors.ts";
import { supersededIn } from "./diagnostics.ts";
import { whyAsMarkdown } from "./hover.ts";
import { impactText } from "./impact.ts";
import { lensesOf } from "./lenses.ts";
import { namedIn } from "./links.ts";
import { type Place, pathOf, placeOf } from "./places.ts";

/** What an editor may set: in `initializationOptions`, or later as the section `pommel` of its settings. */
const settingsShape = z.object({
  /** Who wrote each function, above it. */
  code_lens: z._default(z.boolean(), false),
  /** The same at the end of its first line, in editors that show no lenses. */
  inlay_hints: z._default(z.boolean(), false),
  /** Hints where a later decision contradicts that for which lines were written. */
  diagnostics: z._default(z.boolean(), true),
});
type Settings = z.infer<typeof settingsShape>;

/** Operations that an editor may ask for by `pommel/ask`: those that only read, and say nothing about this machine. */
const asked = z.enum([
  ...(["search", "searchTranscripts", "searchAll", "sessions", "session", "related", "impact"] as const),
  ...(["why", "blame", "review", "decisions", "state"] as const),
]) satisfies z.ZodMiniType<RouteName>;

const commands = [
  "pommel.openSession",
  "pommel.openCommit",
  "pommel.searchSessions",
  "pommel.impact",
] as const;

/** What is known of an open document, until it changes. */
interface Known {
  version: number;
  place: Promise<Place | null>;
  authors?: { askedAt: number; answer: Promise<AuthoredLines[]> };
}

/** Who wrote what is asked again after so long: a commit, or its analysis, changes it. Milliseconds. */
const authorsHoldMs = 10_000;

/** Answers an editor: see `startLsp`. */
export function serve(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const known = new Map<string, Known>();
  let settings: Settings = z.parse(settingsShape, {});
  let folder: string | null = null;
  let canShow = false;
  /** By the root of its checkout: a hover need not ask git for it each time. */
  const remotes = new Map<string, Promise<string | null>>();

  const applySettings = (given: unknown) => {
    const parsed = z.safeParse(settingsShape, given ?? {});
    if (parsed.success) settings = parsed.data;
    else connection.console.warn(`pommel: settings are not understood: ${parsed.error.issues[0]?.message}`);
  };

  function knownOf(uri: string): Known | null {
    const document = documents.get(uri);
    if (!document) return null;
    const before = known.get(uri);
    if (before?.version === document.version) return before;
    const one = { version: document.version, place: placeOf(document) };
    known.set(uri, one);
    return one;
  }

  function remoteAt(root: string): Promise<string | null> {
    const known = remotes.get(root) ?? remoteOf(root);
    remotes.set(root, known);
    return known;
  }

  const placeAt = async (uri: string) => (await knownOf(uri)?.place) ?? null;

  async function authorsAt(uri: string): Promise<AuthoredLines[]> {
    const one = knownOf(uri);
    const place = await one?.place;
    if (!one || !place) return [];
    const now = Date.now();
    if (!one.authors || now - one.authors.askedAt > authorsHoldMs) {
      one.authors = { askedAt: now, answer: authorsOf(place) };
      // One that failed is asked for again.
      one.authors.answer.catch(() => delete one.authors);
    }
    return one.authors.answer;
  }

  /** The project of a document, or of the folder that the editor has open. */
  async function projectAt(uri?: string): Promise<Project | null> {
    const place = uri === undefined ? null : await placeAt(uri);
    return place?.project ?? (folder === null ? null : findProjectIfAny(folder));
  }

  /** Saved lines of a range of a document, both inclusive; null where all of them are new. */
  function savedRange({ lines }: Place, { start, end }: Range): { first: number; last: number } | null {
    // A selection of whole lines ends before the first character of the next.
    const last = end.line > start.line && end.character === 0 ? end.line - 1 : end.line;
    const saved = Array.from({ length: last - start.line + 1 }, (_, i) => lines.toSaved(start.line + i + 1));
    const there = saved.filter((line) => line !== null);
    return there.length === 0 ? null : { first: Math.min(...there), last: Math.max(...there) };
  }

  /** A message without buttons: not every editor can answer one. */
  const tell = (message: string) =>
    connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Info, message });

  async function show(project: Project, route: string): Promise<void> {
    const { url } = await pageUrl(project, route);
    const shown = canShow && (await connection.window.showDocument({ uri: url, external: true })).success;
    if (!shown) await tell(`Open within a minute: ${url}`);
  }

  async function diagnose(uri: string): Promise<void> {
    if (!settings.diagnostics) return connection.sendDiagnostics({ uri, diagnostics: [] });
    const place = await placeAt(uri);
    const found = place === null ? [] : await supersededIn(place, await authorsAt(uri));
    const diagnostics = found.map(
      ({ start, end, decision }): Diagnostic => ({
        range: wholeLines(start, end),
        severity: DiagnosticSeverity.Hint,
        source: "pommel",
        message: `Written for a decision that no longer holds: ${decision.text}\nLater: ${decision.superseded_by}`,
      }),
    );
    return connection.sendDiagnostics({ uri, diagnostics });
  }

  /** Nothing that Pommel says is worth an error box: what fails is logged, and the editor gets nothing. */
  const quietly =
    <Args extends unknown[], T>(answer: (...args: Args) => Promise<T>, otherwise: T) =>
    async (...args: Args): Promise<T> => {
      try {
        return await answer(...args);
      } catch (error) {
        connection.console.warn(`pommel: ${messageOf(error)}`);
        return otherwise;
      }
    };

  connection.onInitialize(
    ({ capabilities, initializationOptions, workspaceFolders, rootUri }): InitializeResult => {
      applySettings(initializationOptions);
      folder = pathOf(workspaceFolders?.[0]?.uri ?? rootUri ?? "");
      canShow = capabilities.window?.showDocument?.support ?? false;
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
        },
      };
    },
  );

  connection.onDidChangeConfiguration(({ settings: given }) => {
    applySettings((given as { pommel?: unknown } | null)?.pommel);
    for (const { uri } of documents.all()) void quietly(diagnose, undefined)(uri);
  });

  connection.onHover(
    quietly(async ({ textDocument: { uri }, position: { line } }) => {
      const place = await placeAt(uri);
      if (place === null) return null;
      const saved = place.lines.toSaved(line + 1);
      if (saved === null) return { contents: { kind: "markdown", value: "Not saved yet." } } as const;
      const [answer, remote] = await Promise.all([
        call("why", { file: place.file, first_line: saved }, place.project),
        remoteAt(place.project.root),
      ]);
      const value = whyAsMarkdown(answer, (hash) => commitUrl(remote, hash));
      return value === "" ? null : { contents: { kind: "markdown", value }, range: wholeLines(line, line) };
    }, null),
  );

  const lensesAt = async (uri: string) => {
    const place = await placeAt(uri);
    return place === null ? [] : lensesOf(place, await authorsAt(uri));
  };

  connection.onCodeLens(
    quietly(async ({ textDocument: { uri } }) => {
      if (!settings.code_lens) return [];
      return (await lensesAt(uri)).map(({ line, text, session }) => ({
        range: wholeLines(line, line),
        command:
          session === null
            ? { title: text, command: "" }
            : { title: text, command: "pommel.openSession", arguments: [uri, session.id, session.turn] },
      }));
    }, []),
  );

  connection.languages.inlayHint.on(
    quietly(async ({ textDocument: { uri }, range }) => {
      const document = documents.get(uri);
      if (!settings.inlay_hints || !document) return [];
      return (await lensesAt(uri))
        .filter(({ line }) => line >= range.start.line && line <= range.end.line)
        .map(({ line, text }) => ({ position: endOf(document, line), label: text, paddingLeft: true }));
    }, []),
  );

  connection.onCodeAction(
    quietly(async ({ textDocument: { uri }, range }) => {
      const place = await placeAt(uri);
      const lines = place === null ? null : savedRange(place, range);
      if (place === null || lines === null) return [];
      const authors = await authorsAt(uri);
      const author = authors.find(
        ({ session_id, first_line, last_line }) =>
          session_id !== null && first_line <= lines.last && last_line >= lines.first,
      );
      const span = `${place.file}:${lines.first}-${lines.last}`;
      const text = documents.get(uri)?.getText(range).trim() ?? "";
      const about = text !== "" && !text.includes("\n") ? text.slice(0, 200) : basename(place.file);
      const action = (title: string, command: (typeof commands)[number], ...args: unknown[]): CodeAction => ({
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

  connection.onExecuteCommand(
    quietly(async ({ command, arguments: given = [] }) => {
      const [uri, what, turn]: unknown[] = given;
      const project = await projectAt(typeof uri === "string" ? uri : undefined);
      if (project === null || typeof what !== "string") return null;
      if (command === "pommel.impact") {
        await tell(await impactText(project, what));
        return null;
      }
      if (command === "pommel.openSession")
        await show(project, pageRoutes.session(what, typeof turn === "number" ? turn : null));
      if (command === "pommel.openCommit") await show(project, pageRoutes.commit(what));
      if (command === "pommel.searchSessions")
        await show(project, pageRoutes.search({ q: what, in: "sessions" }));
      return null;
    }, null),
  );

  connection.onDocumentLinks(
    quietly(async ({ textDocument: { uri } }) => {
      const [document, place] = [documents.get(uri), await placeAt(uri)];
      if (!document || place === null) return [];
      return (await namedIn(document.getText(), place.project)).map(({ start, end, kind, id }) => ({
        range: { start: document.positionAt(start), end: document.positionAt(end) },
        tooltip: `Open the ${kind} in Pommel`,
        // The address signs a browser in, once: it is made when somebody follows the link.
        data: { root: place.project.root, kind, id },
      }));
    }, []),
  );

  connection.onDocumentLinkResolve(async (link) => {
    const { root, kind, id } = z.parse(linkData, link.data);
    const project = await findProjectIfAny(root);
    if (project === null) return link;
    const route = kind === "commit" ? pageRoutes.commit(id) : pageRoutes.session(id, null);
    return { ...link, target: (await pageUrl(project, route)).url };
  });

  connection.onWorkspaceSymbol(
    quietly(async ({ query }) => {
      const project = await projectAt(documents.all()[0]?.uri);
      if (project === null || query.trim() === "") return [];
      const { results } = await call("search", { q: query, by: "chunk", limit: 20 }, project);
      return results.map(({ file, name, kind, parent_name, start_line, end_line }) => ({
        name: name || basename(file),
        kind: kindOf[kind] ?? SymbolKind.File,
        containerName: parent_name ?? file,
        location: {
          uri: pathToFileURL(`${project.root}/${file}`).href,
          range: wholeLines(start_line - 1, end_line - 1),
        },
      }));
    }, []),
  );

  connection.onRequest("pommel/blame", async (given: unknown) => {
    const { textDocument } = z.parse(blameParams, given);
    return { ranges: await authorsAt(textDocument.uri) };
  });

  connection.onRequest("pommel/ask", async (given: unknown): Promise<unknown> => {
    const { operation, input, uri } = z.parse(askParams, given);
    const project = await projectAt(uri);
    return project === null
      ? null
      : call(operation, z.parse(routes[operation].request(), input) as never, project);
  });

  documents.onDidOpen(({ document }) => void quietly(diagnose, undefined)(document.uri));
  documents.onDidSave(({ document }) => {
    // What it is compared with has changed, at the same version.
    known.delete(document.uri);
    void quietly(diagnose, undefined)(document.uri);
  });
  documents.onDidClose(({ document }) => known.delete(document.uri));
  documents.listen(connection);
  connection.listen();
}

const linkData = z.object({ root: z.string(), kind: z.enum(["commit", "session"]), id: z.string() });
const blameParams = z.object({ textDocument: z.object({ uri: z.string() }) });
const askParams = z.object({
  operation: asked,
  input: z.record(z.string(), z.unknown()),
  /** A document of the project that is meant; default: the open folder. */
  uri: z.optional(z.string()),
});

const kindOf: Readonly<Record<string, SymbolKind>> = {
  function: SymbolKind.Function,
  method: SymbolKind.Method,
  class: SymbolKind.Class,
  interface: SymbolKind.Interface,
  enum: SymbolKind.Enum,
  struct: SymbolKind.Struct,
  module: SymbolKind.Module,
  constant: SymbolKind.Constant,
  variable: SymbolKind.Variable,
};

/** Editors cut a range at the end of its last line. */
const wholeLines = (first: number, last: number): Range => ({
  start: { line: first, character: 0 },
  end: { line: last, character: 2 ** 31 - 1 },
});

const endOf = (document: TextDocument, line: number) =>
  document.positionAt(document.offsetAt({ line: line + 1, character: 0 }) - 1);
