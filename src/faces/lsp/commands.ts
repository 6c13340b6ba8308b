import { type Connection, MessageType, ShowMessageNotification } from "vscode-languageserver/node";
import * as z from "zod/mini";
import { getErrorMessage } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findImpact } from "../../features/impact/operation.ts";
import { createPageUrl, pageRoutes } from "../../features/page/page-url.ts";
import type { OpenDocuments } from "./open-documents.ts";

const maxNamedPlaces = 8;

/** Says in one message what a change of these lines may affect. */
async function describeImpact(project: Project, place: string): Promise<string> {
  const { targets, touched, total, notes } = await call(findImpact, { of: [place] }, project);
  const what = targets.map(({ name }) => name).join(", ");
  if (total === 0) return [`Nothing is known to use ${what || place}.`, ...notes].join(" ");
  const places = touched.slice(0, maxNamedPlaces).map(({ file, line, name }) => `${name} (${file}:${line})`);
  const more = total - places.length;
  return `A change of ${what} may touch ${places.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** The commands. Their first argument is a URI in the project; the others say what to open or to ask about. */
export const commands = [
  "pommel.openSession",
  "pommel.openCommit",
  "pommel.openPage",
  "pommel.review",
  "pommel.searchSessions",
  "pommel.impact",
] as const;
export type CommandName = (typeof commands)[number];

/** A URI; an id, a text or a line; a turn. */
const commandArguments = z.tuple([
  z.optional(z.string()),
  z.optional(z.nullable(z.union([z.string(), z.number()]))),
  z.optional(z.nullable(z.number())),
]);
type Arguments = z.infer<typeof commandArguments>;

interface Window {
  /** Whether the editor can open an address in a browser. */
  canShow: () => boolean;
}

/** Runs the commands of code actions and lenses. It shows failures, because somebody is waiting. */
export function answerCommands(connection: Connection, documents: OpenDocuments, { canShow }: Window): void {
  /** Shows a message without buttons, which not every editor supports. */
  const tell = (message: string) =>
    connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Info, message });

  async function show(project: Project, route: string): Promise<void> {
    const { url } = await createPageUrl(project, route);
    const shown = canShow() && (await connection.window.showDocument({ uri: url, external: true })).success;
    if (!shown) await tell(`Open within a minute: ${url}`);
  }

  const run: Record<CommandName, (project: Project, given: Arguments) => Promise<void>> = {
    "pommel.openSession": (project, [, id, turn]) =>
      show(project, pageRoutes.session(parseText(id), turn ?? null)),
    "pommel.openCommit": (project, [, hash]) => show(project, pageRoutes.commit(parseText(hash))),
    "pommel.openPage": async (project, [uri, line]) => show(project, await findPageRoute(uri, line)),
    "pommel.review": (project) => show(project, pageRoutes.review("")),
    "pommel.searchSessions": (project, [, q]) =>
      show(project, pageRoutes.search({ q: parseText(q), in: "sessions" })),
    "pommel.impact": async (project, [, lines]) => tell(await describeImpact(project, parseText(lines))),
  };

  /** The page of a file's line, counted from 0 as in the editor; the project's first page if the URI is not one of its files. */
  async function findPageRoute(
    uri: string | undefined,
    line: string | number | null | undefined,
  ): Promise<string> {
    const place = uri === undefined ? null : await documents.placeAt(uri);
    if (place === null) return pageRoutes.home;
    const saved = typeof line === "number" ? place.lines.toSaved(line + 1) : null;
    return pageRoutes.file(place.file, saved === null ? null : String(saved));
  }

  connection.onExecuteCommand(async ({ command, arguments: given = [] }) => {
    try {
      const parsed = z.parse(commandArguments, given);
      const project = await documents.findProjectAt(parsed[0]);
      if (project === null) await tell("This is in no project.");
      else await run[command as CommandName](project, parsed);
    } catch (error) {
      await tell(getErrorMessage(error));
    }
    return null;
  });
}

const parseText = (given: unknown) => z.parse(z.string(), given);
