import { commandOutcomes } from "../../protocol/values.ts";
import { integer, nullable, oneOf, reference, rowId, table, text, time } from "./table.ts";

/** A row for each program of a command line that does more than look. */
export const commands = table({
  name: "commands",
  columns: {
    id: rowId(),
    turnId: reference("turns"),
    /** The session's line with the call, and the place in its command line. */
    seq: integer(),
    step: integer(),
    at: nullable(time()),
    /** From the call to its result: of the whole command line, and of whoever had to permit it. */
    tookMs: nullable(integer()),
    /** Relative to the project's root, "" for the root; absolute outside of it. */
    directory: text("words"),
    line: text("words"),
    /** Program and subcommand: npm test. */
    name: text("words"),
    /** The line without what differs from run to run. */
    form: text("words"),
    /** What the agent said it is for. */
    purpose: text("words"),
    outcome: oneOf(commandOutcomes),
    /** null: not known. */
    status: nullable(integer()),
    /** What a failed one reported. */
    error: nullable(text("words")),
  },
  indexes: { commands_of_turn: "(turn_id, seq, step)", commands_by_name: "(name)" },
});

/** Lines of an error without what differs from run to run (sessions/commands/commands-of-turn.ts). */
export const commandErrors = table({
  name: "command_errors",
  columns: { signature: text("words"), commandId: reference("commands") },
  key: ["signature", "commandId"],
  indexes: { command_errors_of_command: "(command_id)" },
});
