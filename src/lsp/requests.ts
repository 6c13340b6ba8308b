import type { Connection } from "vscode-languageserver/node";
import * as z from "zod/mini";
import { call } from "../client/call.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import { routes } from "../protocol/routes.ts";
import type { OpenDocuments } from "./open-documents.ts";

/** Operations that an editor may ask for by `pommel/ask`: those that only read, and say nothing about this machine. */
const asked = z.enum([
  ...(["search", "searchTranscripts", "searchAll", "sessions", "session", "related", "impact"] as const),
  ...(["why", "blame", "review", "decisions", "state"] as const),
]) satisfies z.ZodMiniType<RouteName>;

const document = z.object({ textDocument: z.object({ uri: z.string() }) });
const askParams = z.object({
  operation: asked,
  input: z.record(z.string(), z.unknown()),
  /** A document or a folder of the project that is meant; default: the first open folder. */
  uri: z.optional(z.string()),
});

/** Answers what goes beyond the protocol (docs/editors.md). */
export function answerOwnRequests(connection: Connection, documents: OpenDocuments): void {
  connection.onRequest("pommel/blame", async (given: unknown) => {
    const { textDocument } = z.parse(document, given);
    const place = await documents.placeAt(textDocument.uri);
    return { file: place?.file ?? null, ranges: await documents.authorsAt(textDocument.uri) };
  });

  connection.onRequest("pommel/projects", async () => ({
    projects: (await documents.projects()).map(({ root }) => ({ root })),
  }));

  connection.onRequest("pommel/ask", async (given: unknown): Promise<unknown> => {
    const { operation, input, uri } = z.parse(askParams, given);
    const project = await documents.projectAt(uri);
    return project === null
      ? null
      : call(operation, z.parse(routes[operation].request(), input) as never, project);
  });
}
