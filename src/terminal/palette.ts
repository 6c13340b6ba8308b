import picocolors from "picocolors";

/** Paints a text, or leaves it as it is. */
export type Paint = (text: string) => string;

/**
 * Colours, named by what they mean. They are the sixteen of the reader's own theme, so they are readable on light and dark
 * backgrounds. Nothing is expressed by colour alone.
 */
export interface Palette {
  readonly isColorSupported: boolean;
  readonly hasLinks: boolean;
  readonly bold: Paint;
  /** Text that matters less. */
  readonly dim: Paint;
  /** Ids of sessions, checkpoints and events; numbers of turns. */
  readonly id: Paint;
  /** A file with its line. */
  readonly place: Paint;
  readonly commit: Paint;
  readonly agent: Paint;
  readonly human: Paint;
  readonly ok: Paint;
  readonly warn: Paint;
  readonly error: Paint;
  /** A word that was looked for. */
  readonly match: Paint;
  /** What to do next. */
  readonly hint: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  /** Code within a text. */
  readonly code: Paint;
  /** A quoted question or prompt. */
  readonly prompt: Paint;
  /** Colours a text by its age in days: warm if it is new, faint if it is old. */
  age(text: string, days: number): string;
  /** Links a text to a page or file, if the terminal opens links; null: no link. */
  link(text: string, url: string | null): string;
}

const [week, month, season, year] = [7, 30, 120, 365] as const;

/** The palette of a stream: whether it shows colours, and links. */
export function createPalette({ color = false, links = false } = {}): Palette {
  const { isColorSupported, bold, dim, cyan, yellow, magenta, green, red } = picocolors.createColors(color);
  return {
    isColorSupported,
    hasLinks: links,
    bold,
    dim,
    id: cyan,
    place: cyan,
    commit: yellow,
    agent: magenta,
    human: green,
    ok: green,
    warn: yellow,
    error: red,
    match: (text) => bold(yellow(text)),
    hint: cyan,
    added: green,
    removed: red,
    code: cyan,
    prompt: (text) => bold(cyan(text)),
    age(text, days) {
      if (days < week) return red(text);
      if (days < month) return yellow(text);
      if (days < season) return green(text);
      return days < year ? cyan(text) : dim(text);
    },
    link: (text, url) =>
      links && url !== null && text !== "" ? `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007` : text,
  };
}
