import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { CreateEventRequest } from "../../../protocol/operations/events.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { counted, oneLine, shortId } from "../../terminal/text.ts";
import { eventFacts } from "./text.ts";

interface CreateOptions {
  type?: CreateEventRequest["type"];
  description?: string;
  branch?: string;
  fromBranch?: string;
  since?: string;
  until?: string;
  session?: string[];
  checkpoint?: string[];
}

/** `pm event create [title]`. */
export async function eventCreateCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: CreateOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const { branch, fromBranch, since, until, session = [], checkpoint = [] } = options;
  if (branch !== undefined && fromBranch !== undefined && branch !== fromBranch) {
    throw new PommelError("usage", "An event is about one branch.", "Give --branch or --from-branch.");
  }
  const title = words.join(" ").trim();
  if (title === "" && fromBranch === undefined) {
    throw new PommelError("usage", "The event has no title.", 'Write `pm event create "what it is about"`.');
  }
  const { description, type } = options;
  const about = { title, description, type, branch: fromBranch ?? branch, since, until };
  const { event } = await call(
    "createEvent",
    { ...about, sessions: session, checkpoints: checkpoint },
    project,
  );
  output.result(
    event,
    `${tick("ok", output.colors)} Event ${shortId(event.id)}: ${oneLine(event.title, 80)} (${eventFacts(event)})`,
  );
}

/** `pm event close <event>`. */
export async function eventCloseCommand(
  { cwd, output }: CommandContext,
  name: string,
  { archive = false, reopen = false }: { archive?: boolean; reopen?: boolean },
): Promise<void> {
  const wanted = reopen ? "active" : archive ? "archived" : "frozen";
  const { event, before } = await call("closeEvent", { event: name, status: wanted }, await findProject(cwd));
  const title = oneLine(event.title, 80);
  const linked =
    before === wanted
      ? `${title} is ${wanted} already.`
      : {
          active: `${title} is active again.`,
          frozen: `${title} is frozen.`,
          archived: `${title} is archived.`,
        }[wanted];
  output.result({ event, before }, `${tick("ok", output.colors)} ${linked}`);
}

/** `pm event link <event> <ids...>`. */
export function eventLinkCommand(context: CommandContext, name: string, targets: string[]): Promise<void> {
  return change(context, "link", name, targets);
}

/** `pm event unlink <event> <ids...>`. */
export function eventUnlinkCommand(context: CommandContext, name: string, targets: string[]): Promise<void> {
  return change(context, "unlink", name, targets);
}

async function change(
  { cwd, output }: CommandContext,
  how: "link" | "unlink",
  name: string,
  targets: string[],
): Promise<void> {
  const asked = { event: name, [how === "link" ? "add" : "remove"]: targets };
  const changed = await call("linkEvent", asked, await findProject(cwd));
  const count = (kind: string) =>
    new Set(changed.targets.filter((one) => one.kind === kind).map(({ id }) => id)).size;
  const what = [
    count("session") > 0 ? counted(count("session"), "session") : "",
    count("checkpoint") > 0 ? counted(count("checkpoint"), "checkpoint") : "",
  ].filter((part) => part !== "");
  const linked = how === "link" ? `Linked with ${what.join(" and ")}:` : `Removed ${what.join(" and ")}:`;
  output.result(changed, `${tick("ok", output.colors)} ${linked} ${oneLine(changed.event.title, 80)}`);
}
