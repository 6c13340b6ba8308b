import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Standing } from "../../sync/origin/trust.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { changeTrust } from "./operation.ts";
import { wordTrust } from "./words.ts";

interface TrustOptions {
  add?: string;
  remove?: string;
  mine?: string;
}

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
  showAnswer(
    output,
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
    () => wordTrust(signers),
  );
}
