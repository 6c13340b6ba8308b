import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark } from "../../terminal/output.ts";
import { formatCount, toOneLine } from "../../terminal/text.ts";
import { changeMembers, shareWithTeam, showTeam, startSharing, stopSharing } from "./operation.ts";
import { formatSyncCounts, syncProgress } from "./pm-share-git.ts";

/** `pm share team`: imports what colleagues shared, and shares what is new here. */
export async function shareTeamCommand({ cwd, output }: CommandContext): Promise<void> {
  const progress = syncProgress();
  const how = { onProgress: progress.onProgress };
  const report = await call(shareWithTeam, {}, await findProject(cwd), how).finally(progress.finish);
  const { project, author, place, shared, imported, withdrawn, removed, leftOut, waiting } = report;
  if (leftOut > 0) output.note(`${formatCount(leftOut, "session")} from outside the project not shared.`);
  if (waiting > 0) {
    output.note(
      `${formatCount(waiting, "session")} not shared before the language model of scrub.llm has read them.`,
    );
  }
  const parts = [
    ["Imported", formatSyncCounts(imported)],
    ["Shared", formatSyncCounts(shared)],
    ["Taken back", withdrawn > 0 ? formatCount(withdrawn, "record") : null],
    ["Removed, as colleagues took it back", removed > 0 ? formatCount(removed, "record") : null],
  ].flatMap(([label, text]) => (text ? [`${label}: ${text}.`] : []));
  output.result(
    { project, author, server: place, shared, imported, withdrawn, removed, left_out: leftOut, waiting },
    parts.length === 0 ? "Nothing new." : parts.join("\n"),
  );
}

/** `pm share team on` */
export async function onCommand(
  { cwd, output }: CommandContext,
  { project: name }: { project?: string },
): Promise<void> {
  const state = await call(startSharing, { name }, await findProject(cwd));
  output.result(
    { project: state.project, author: state.author, server: state.place, is_owner: state.isOwner },
    `${formatMark("ok", output.colors)} This project is shared as ${toOneLine(state.author)} at ${state.place}.\n` +
      (state.isOwner
        ? "You decide who else may: `pm share team members --add ROLE`. `pm share team` shares what is here."
        : "`pm share team` shares what is here, and imports what colleagues shared."),
  );
}

/** `pm share team off` */
export async function teamOffCommand(
  { cwd, output }: CommandContext,
  { remove = false }: { remove?: boolean },
): Promise<void> {
  const withdrawn = await call(stopSharing, { remove }, await findProject(cwd));
  output.result(
    { shared: false, withdrawn },
    `${formatMark("ok", output.colors)} This project is no longer shared. ` +
      (remove
        ? `${formatCount(withdrawn, "record")} taken back: colleagues lose them with their next \`pm share team\`.`
        : "What was shared stays with the team."),
  );
}

/** `pm share team status` */
export async function teamStatusCommand({ cwd, output }: CommandContext): Promise<void> {
  const { team, waiting, authors } = await call(showTeam, {}, await findProject(cwd));
  const here =
    authors.length === 0 ? [] : [`Sessions and notes here by: ${authors.map(toOneLine).join(", ")}`];
  const at = team?.at == null ? null : new Date(team.at).toISOString();
  output.result(
    {
      team: team && { project: team.project, author: team.author, server: team.place, at },
      waiting,
      authors,
    },
    (team === null
      ? ["This project is not shared with a team.", ...here]
      : [
          `Shared as ${toOneLine(team.author)} at ${team.place}`,
          `Project: ${toOneLine(team.project)}`,
          team.at === null
            ? "Never exchanged yet: run `pm share team`."
            : `Last exchange: ${formatRelativeTime(team.at)}`,
          ...(waiting > 0 ? [`${formatCount(waiting, "change")} not shared yet`] : []),
          ...here,
        ]
    ).join("\n"),
  );
}

/** `pm share team members` */
export async function teamMembersCommand(
  { cwd, output }: CommandContext,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<void> {
  const { members, authors } = await call(changeMembers, { add, remove }, await findProject(cwd));
  output.result(
    { members: members.map(({ role, isOwner }) => ({ role, is_owner: isOwner })), authors },
    [
      "Roles that may share this project:",
      ...members.map(({ role, isOwner }) => `  ${toOneLine(role)}${isOwner ? " (owner)" : ""}`),
      "Shared so far:",
      ...authors.map(({ author, records }) => `  ${toOneLine(author)}: ${formatCount(records, "record")}`),
    ].join("\n"),
  );
}
