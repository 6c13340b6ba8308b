import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { CreateEventRequest } from "../../../protocol/operations/events.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { oneLine, shortId } from "../../terminal/text.ts";
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
