import { getErrorMessage, PommelError } from "../base/errors.ts";
import { measureWidth, padToWidth } from "../base/text/display-width.ts";
import { createPalette, type Palette } from "./palette.ts";
import { neutralizeControls, ownStreams, type Streams } from "./streams.ts";

/** Where the output is read: on a terminal, or at the end of a pipe. */
export interface Screen {
  /** Colours and links; without effect if stdout is not a terminal. */
  readonly colors: Palette;
  /** The terminal's width; undefined if stdout is not a terminal: then text is neither cut nor wrapped, and times are absolute. */
  readonly columns: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The output of a command. Results go to stdout; progress and warnings to stderr, so that a pipe carries
 * results only.
 */
export interface Output extends Screen {
  /** `--json` was given: stdout carries exactly one JSON value. */
  readonly json: boolean;
  /** A line for a person on stdout; nothing with `--json`. */
  print(line?: string): void;
  /** The command's result: `value` with `--json`, else `text`. */
  result(value: unknown, text: string | (() => string)): void;
  /** A line on stderr, with `--json` too: a warning, or what the command waits for. */
  note(line: string): void;
}

/** The output of one run of `pm`. */
export function createOutput({ json = false, noColor = false } = {}, streams: Streams = ownStreams): Output {
  const color = !noColor && streams.hasColor(1);
  const write = (line: string) => streams.write(1, `${line}\n`);
  const plain = (text: string) => neutralizeControls(text, color);
  return {
    json,
    colors: createPalette({ color, links: color && streams.hasLinks }),
    columns: streams.columns,
    now: Date.now(),
    print(line = "") {
      if (!json) write(plain(line));
    },
    result(value, text) {
      if (json) write(formatJson(value));
      else streams.show(`${plain(typeof text === "string" ? text : text())}\n`);
    },
    note(line) {
      streams.write(2, `${neutralizeControls(line, streams.hasColor(2))}\n`);
    },
  };
}

/** JSON does not escape these control characters, but terminals act on them. */
const formatJson = (value: unknown) =>
  (JSON.stringify(value, null, 2) ?? "").replace(
    /[\u007f-\u009f]/g,
    (found) => `\\u00${found.charCodeAt(0).toString(16)}`,
  );

/**
 * Prints an error, for all commands alike: `error: ...` and `hint: ...` on stderr. With `json` it prints the object
 * `{"error": {"code", "message", "hint"}}` on stdout, where a script that asked for JSON reads it.
 * @returns the error's exit code
 */
export function printError(
  thrown: unknown,
  { json = false, debug = false, noColor = false }: { json?: boolean; debug?: boolean; noColor?: boolean },
  streams: Streams = ownStreams,
): number {
  const error =
    thrown instanceof PommelError
      ? thrown
      : new PommelError("internal", getErrorMessage(thrown), "Run again with --debug to see where.", {
          cause: thrown,
        });
  const stack = debug && thrown instanceof Error ? thrown.stack : undefined;
  if (json) {
    const { code, message, hint } = error;
    streams.write(1, `${formatJson({ error: { code, message, hint, stack } })}\n`);
    return error.exitCode;
  }
  const color = !noColor && streams.hasColor(2);
  const colors = createPalette({ color });
  const lines = [`${colors.error("error:")} ${error.message}`];
  if (error.hint !== "") lines.push(`${colors.hint("hint:")} ${error.hint}`);
  if (stack !== undefined) lines.push(colors.dim(stack));
  streams.write(2, `${neutralizeControls(lines.join("\n"), color)}\n`);
  return error.exitCode;
}

export type LineMark = "ok" | "warn" | "fail";

/** ✓, ! or ✗ in its colour. */
export function formatMark(mark: LineMark, colors: Palette): string {
  if (mark === "ok") return colors.ok("✓");
  return mark === "warn" ? colors.warn("!") : colors.error("✗");
}

/** Left-aligned columns two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, measureWidth(cell));
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => padToWidth(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
