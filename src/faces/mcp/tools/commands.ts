import { beginningOf } from "../../../base/text/text-size.ts";
import type { KnownError } from "../../../features/fix/operation.ts";
import { fix } from "../../../features/fix/operation.ts";
import type { HowAnswer } from "../../../features/how/operation.ts";
import { how as howOperation } from "../../../features/how/operation.ts";
import type { LostText } from "../../../features/lost/operation.ts";
import { findLostText } from "../../../features/lost/operation.ts";
import { sharedBy } from "../../../protocol/origin.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { CommandsOutput, commandsInput } from "../shapes/shapes-sessions.ts";
import { fitIn, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted } from "../text/text.ts";
import { ask, type Handler } from "../tool.ts";

/** What worked here for something, what fixed an error, or text of a file that was lost. */
export const commands: Handler<typeof commandsInput, CommandsOutput> = async (args, context) => {
  const { how, error, lost, max_tokens } = args;
  const room = roomOf(max_tokens);
  if (how !== undefined) {
    const { verdict, commands: found } = await ask(context, howOperation, { q: how });
    const { items } = fitIn(found, room, 300, commandItem, renderCommand);
    return answer(
      { verdict, commands: items, errors: [], lost: [] },
      items.map(renderCommand),
      "Nothing like it worked here.",
    );
  }
  if (lost !== undefined) {
    const { texts } = await ask(context, findLostText, { file: lost });
    const { items } = fitIn(texts, room, 2000, lostItem, renderLost);
    const verdict = items.length > 0 ? "found" : "none";
    return answer(
      { verdict, commands: [], errors: [], lost: items },
      items.map(renderLost),
      "Nothing of it was lost.",
    );
  }
  const { verdict, errors, mentions } = await ask(context, fix, { error: error ?? "" });
  const { items } = fitIn(errors, room, 600, errorItem, renderError);
  const said = mentions.map(
    ({ session_id, turn, text }) => `said in ${shortId(session_id)} turn ${turn}: ${oneLine(text, 200)}`,
  );
  return answer(
    { verdict, commands: [], errors: items, lost: [] },
    [...items.map(renderError), ...said.map(quoted)],
    "No agent met this error here.",
  );
};

function answer(found: Omit<CommandsOutput, "label" | "notes">, lines: string[], none: string) {
  const head = found.verdict === "maybe" ? `${historyLabel}\nMaybe:` : historyLabel;
  return {
    structured: { label: historyLabel, ...found, notes: [] },
    text: lines.length === 0 ? none : joined([head, ...lines], "\n"),
  };
}

function commandItem(
  command: HowAnswer["commands"][number],
  longest: number,
): CommandsOutput["commands"][number] {
  const { line, form, directory, purpose, worked, failed, last_at, session_id, author, turn, failed_before } =
    command;
  return {
    line: oneLine(line, longest),
    form: form === line ? "" : oneLine(form, longest),
    directory: oneLine(directory, 160),
    purpose: oneLine(purpose, 120),
    ...{ worked, failed, last_at, session_id, author: lineOrNull(author, 100), turn },
    failed_before: failed_before.map((one) => `${oneLine(one.line, 160)}: ${oneLine(one.error, 160)}`),
  };
}

function renderCommand(command: CommandsOutput["commands"][number]): string {
  const { line, form, directory, purpose, worked, failed, last_at, session_id, author, turn, failed_before } =
    command;
  const facts = [
    directory === "" ? "" : `in ${directory}`,
    `${form === "" ? "" : `${form} `}worked ${worked}×${failed > 0 ? `, failed ${failed}×` : ""}`,
    minute(last_at),
    `${shortId(session_id)} turn ${turn}`,
    sharedBy(author),
    purpose,
  ];
  return joined(
    [quoted(line), `  ${joined(facts)}`, ...failed_before.map((one) => quoted(`failed first: ${one}`))],
    "\n",
  );
}

function lostItem(
  { lost_by, timestamp, session_id, author, turn, lines }: LostText,
  longest: number,
): CommandsOutput["lost"][number] {
  const text = beginningOf(lines.join("\n"), longest);
  return { lost_by, timestamp, session_id, author: lineOrNull(author, 100), turn, text };
}

function renderLost({
  lost_by,
  timestamp,
  session_id,
  author,
  turn,
  text,
}: CommandsOutput["lost"][number]): string {
  const facts = [
    `lost by ${lost_by}`,
    minute(timestamp),
    `${shortId(session_id)} turn ${turn}`,
    sharedBy(author),
  ];
  return joined([joined(facts), quoted(text)], "\n");
}

function errorItem(
  { error, command, times, sessions, last_at, session_id, author, turn, fix }: KnownError,
  longest: number,
) {
  const edits = (fix?.edits ?? []).map(
    ({ path, diff }) => `${oneLine(path, 160)}: ${oneLine(diff, longest)}`,
  );
  return {
    error: oneLine(error, longest),
    command: oneLine(command, 200),
    ...{ times, sessions, last_at, session_id, author: lineOrNull(author, 100), turn },
    fix:
      fix === null
        ? null
        : {
            ...{
              session_id: fix.session_id,
              author: lineOrNull(fix.author, 100),
              turn: fix.turn,
              edits,
              stands: fix.stands,
            },
            commands: fix.commands.map((line) => oneLine(line, 200)),
            commit: fix.commit === null ? null : oneLine(`${fix.commit.hash} ${fix.commit.subject}`, 140),
          },
  };
}

function renderError({
  error,
  command,
  times,
  sessions,
  last_at,
  session_id,
  author,
  turn,
  fix,
}: CommandsOutput["errors"][number]): string {
  const met = joined([
    `met ${times}× in ${sessions} sessions`,
    minute(last_at),
    `${shortId(session_id)} turn ${turn}`,
    sharedBy(author),
  ]);
  return joined(
    [
      quoted(error),
      quoted(`$ ${command}`),
      `  ${met}`,
      ...(fix === null ? ["  no fix recorded"] : fixLines(fix)),
    ],
    "\n",
  );
}

function fixLines(fix: NonNullable<CommandsOutput["errors"][number]["fix"]>): string[] {
  const { session_id, author, turn, commit, stands, edits, commands: lines } = fix;
  const facts = joined([
    `${shortId(session_id)} turn ${turn}`,
    sharedBy(author),
    commit,
    stands !== null && (stands ? "its lines are still there" : "its lines are gone"),
  ]);
  return [`  then worked: ${facts}`, ...edits.map(quoted), ...lines.map((line) => quoted(`$ ${line}`))];
}
