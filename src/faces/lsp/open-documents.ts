import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type Connection, TextDocuments, type WorkspaceFolder } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { operations } from "../../features/index.ts";
import { writeNote } from "../../features/notes/operation.ts";
import { findKnownProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { type EditorLines, findAuthoredLines } from "./authors.ts";
import { type DocumentFile, findDocumentPlace, toFilePath } from "./places.ts";

const document = z.object({ textDocument: z.object({ uri: z.string() }) });
const askParams = z.object({
  operation: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** A document or folder of the project in question; default: the first open folder. */
  uri: z.optional(z.string()),
});

const noteParams = z.object({
  ...document.shape,
  /** From 0, both included, as the editor has them. */
  first: z.int(),
  last: z.int(),
  note: z.string(),
});

/** Answers Pommel's own requests, which are not part of the protocol (docs/editors.md). */
export function answerOwnRequests(connection: Connection, documents: OpenDocuments): void {
  connection.onRequest("pommel/blame", async (given: unknown) => {
    const { textDocument } = z.parse(document, given);
    const place = await documents.placeAt(textDocument.uri);
    return { file: place?.file ?? null, ranges: await documents.readAuthorsAt(textDocument.uri) };
  });

  connection.onRequest("pommel/note", async (given: unknown) => {
    const { textDocument, first, last, note } = z.parse(noteParams, given);
    const place = await documents.placeAt(textDocument.uri);
    const [from, to] = [first, last].map((line) => place?.lines.toSaved(line + 1) ?? null);
    if (place === null || from == null || to == null)
      throw new PommelError("usage", "These lines are not saved yet.", "Save the file first.");
    return call(writeNote, { note, by: "person", at: `${place.file}:${from}-${to}` }, place.project);
  });

  connection.onRequest("pommel/projects", async () => ({
    projects: (await documents.listProjects()).map(({ root }) => ({ root })),
  }));

  connection.onRequest("pommel/ask", async (given: unknown): Promise<unknown> => {
    const { operation, input, uri } = z.parse(askParams, given);
    const asked = operations.get(operation);
    if (asked?.editors !== true) throw new PommelError("usage", `Editors cannot ask for ${operation}.`);
    const project = await documents.findProjectAt(uri);
    return project === null ? null : call(asked, z.parse(asked.request(), input), project);
  });
}

/** What is known of an open document, until it changes. */
interface DocumentFacts {
  version: number;
  place: Promise<DocumentFile | null>;
  authors?: Promise<EditorLines[]>;
}

/** What an editor has open: documents and folders, and the projects to which they belong. */
export class OpenDocuments {
  readonly texts = new TextDocuments(TextDocument);
  private readonly known = new Map<string, DocumentFacts>();
  private folders: string[] = [];

  /** The place of an open document; null if it is not a saved file of a project. */
  async placeAt(uri: string): Promise<DocumentFile | null> {
    return (await this.findKnownDocument(uri)?.place) ?? null;
  }

  async readAuthorsAt(uri: string): Promise<EditorLines[]> {
    const one = this.findKnownDocument(uri);
    const place = await one?.place;
    if (!one || !place) return [];
    if (!one.authors) {
      one.authors = findAuthoredLines(place);
      // After a failure, the next caller tries again.
      one.authors.catch(() => delete one.authors);
    }
    return one.authors;
  }

  /** Forgets the authors and the saved state of one document, or of all. */
  forget(uri?: string): void {
    if (uri === undefined) this.known.clear();
    else this.known.delete(uri);
  }

  changeFolders(added: readonly WorkspaceFolder[], removed: readonly WorkspaceFolder[]): void {
    const paths = (folders: readonly WorkspaceFolder[]) =>
      folders.flatMap(({ uri }) => toFilePath(uri) ?? []);
    const gone = new Set(paths(removed));
    this.folders = [...this.folders.filter((folder) => !gone.has(folder)), ...paths(added)];
  }

  /** The project of a document or a folder; without one, that of the first folder that the editor has open. */
  async findProjectAt(uri: string | undefined): Promise<Project | null> {
    if (uri === undefined) return (await this.listProjects())[0] ?? null;
    const place = await this.placeAt(uri);
    if (place !== null) return place.project;
    const path = toFilePath(uri);
    if (path === null) return null;
    return findProjectIfAny(statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path));
  }

  /** The projects of all folders; if no folder is open, those of the documents. */
  async listProjects(): Promise<Project[]> {
    if (this.folders.length === 0) return this.listDocumentProjects();
    return dedupeProjects(await Promise.all(this.folders.map((folder) => findProjectIfAny(folder))));
  }

  /** As `listProjects`, without starting git: of the folders, only those that Pommel knows already. */
  async listKnownProjects(): Promise<Project[]> {
    if (this.folders.length === 0) return this.listDocumentProjects();
    return dedupeProjects(this.folders.map((folder) => findKnownProject(folder)));
  }

  private async listDocumentProjects(): Promise<Project[]> {
    const places = await Promise.all(this.texts.all().map(({ uri }) => this.placeAt(uri)));
    return dedupeProjects(places.map((place) => place?.project ?? null));
  }

  private findKnownDocument(uri: string): DocumentFacts | null {
    const document = this.texts.get(uri);
    if (!document) return null;
    const before = this.known.get(uri);
    if (before?.version === document.version) return before;
    const one = { version: document.version, place: findDocumentPlace(document) };
    this.known.set(uri, one);
    return one;
  }
}

const dedupeProjects = (projects: readonly (Project | null)[]): Project[] => [
  ...new Map(projects.flatMap((one) => (one === null ? [] : [[one.root, one]]))).values(),
];
