import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Standing } from "../../sync/origin/trust.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { alignColumns } from "../../terminal/output.ts";
import { formatCount, toOneLine } from "../../terminal/text.ts";
import { changeTrust } from "./operation.ts";
import type { TrustAnswer } from "./trust.ts";

interface TrustOptions {
  add?: string;
  remove?: string;
  mine?: string;
}

const words = { yours: "yours", trusted: "trusted", not_trusted: "not trusted" } as const;

/** `pm share trust` */
export async function trustCommand(
  { cwd, output }: CommandContext,
  { add, remove, mine }: TrustOptions,
): Promise<void> {
  const who = add ?? remove ?? mine;
  const standing: Standing = who === mine ? "yours" : who === add ? "trusted" : "not_trusted";
  const request = who === undefined ? {} : { who, standing };
  const { signers, left } = await call(changeTrust, request, await findProject(cwd));
  for (const root of left)
    output.note(`The memory of ${root} could not be opened; its labels change with the next exchange.`);
  output.result(
    {
      signers: signers.map(({ key, name, standing: now, since, sessions, notes }) => ({
        key,
        name,
        standing: now,
        sessions,
        notes,
        since: since === 0 ? null : new Date(since).toISOString(),
      })),
    },
    listText(signers),
  );
}

function listText(signers: TrustAnswer["signers"]): string {
  if (signers.length === 0) return "Nobody shared anything with you, and you shared nothing.";
  const rows = signers.map(({ key, name, standing, since, sessions, notes }) => [
    words[standing],
    toOneLine(name) || (key === "unsigned" ? "whatever nobody signed" : "no name"),
    key,
    // What was recorded here came from no key.
    standing === "yours" && sessions + notes === 0
      ? ""
      : `${formatCount(sessions, "session")}, ${formatCount(notes, "note")}`,
    since === 0 ? "" : `since ${new Date(since).toISOString().slice(0, 10)}`,
  ]);
  return alignColumns(rows);
}
