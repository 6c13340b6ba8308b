import { doneLine, indentedLine, line } from "../../answers/document.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { listThings } from "../../protocol/reading/things.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount } from "../../terminal/text.ts";
import { changeMembers, shareWithTeam, showTeam, startSharing, stopSharing } from "./operation.ts";
import { syncProgress } from "./pm-share-git.ts";
import { wordExchange, wordTeam } from "./words.ts";

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
  const value = {
    project,
    author,
    server: place,
    shared,
    imported,
    withdrawn,
    removed,
    left_out: leftOut,
    waiting,
  };
  showAnswer(output, value, () => [
    wordExchange([
      ["Imported", listThings(imported).join(", ")],
      ["Shared", listThings(shared).join(", ")],
      ["Taken back", withdrawn > 0 ? formatCount(withdrawn, "record") : ""],
      ["Removed, as colleagues took it back", removed > 0 ? formatCount(removed, "record") : ""],
    ]),
  ]);
}

/** `pm share team on` */
export async function onCommand(
  { cwd, output }: CommandContext,
  { project: name }: { project?: string },
): Promise<void> {
  const state = await call(startSharing, { name }, await findProject(cwd));
  const value = {
    project: state.project,
    author: state.author,
    server: state.place,
    is_owner: state.isOwner,
  };
  showAnswer(output, value, () => [
    [
      doneLine("This project is shared as ", { text: state.author }, " at ", { text: state.place }, "."),
      line(
        state.isOwner
          ? "You decide who else may: `pm share team members --add ROLE`. `pm share team` shares what is here."
          : "`pm share team` shares what is here, and imports what colleagues shared.",
      ),
    ],
  ]);
}

/** `pm share team off` */
export async function teamOffCommand(
  { cwd, output }: CommandContext,
  { remove = false }: { remove?: boolean },
): Promise<void> {
  const withdrawn = await call(stopSharing, { remove }, await findProject(cwd));
  const fate = remove
    ? `${formatCount(withdrawn, "record")} taken back: colleagues lose them with their next \`pm share team\`.`
    : "What was shared stays with the team.";
  showAnswer(output, { shared: false, withdrawn }, () => [
    [doneLine(`This project is no longer shared. ${fate}`)],
  ]);
}

/** `pm share team status` */
export async function teamStatusCommand({ cwd, output }: CommandContext): Promise<void> {
  const state = await call(showTeam, {}, await findProject(cwd));
  const { team, waiting, authors } = state;
  const at = team?.at == null ? null : new Date(team.at).toISOString();
  const named = team && { project: team.project, author: team.author, server: team.place, at };
  showAnswer(output, { team: named, waiting, authors }, () => wordTeam(state));
}

/** `pm share team members` */
export async function teamMembersCommand(
  { cwd, output }: CommandContext,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<void> {
  const { members, authors } = await call(changeMembers, { add, remove }, await findProject(cwd));
  const value = { members: members.map(({ role, isOwner }) => ({ role, is_owner: isOwner })), authors };
  showAnswer(output, value, () => [
    [
      line("Roles that may share this project:"),
      ...members.map(({ role, isOwner }) => indentedLine(2, 4, { text: role }, isOwner && " (owner)")),
      line("Shared so far:"),
      ...authors.map(({ author, records }) =>
        indentedLine(2, 4, { text: author }, `: ${formatCount(records, "record")}`),
      ),
    ],
  ]);
}
