import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "../../answers/operation.ts";
import { explainError } from "../../base/errors.ts";
import { findUserCommand } from "../../base/find-program.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import type { Palette } from "../../terminal/palette.ts";
import { listCheckpoints, showCheckpoint } from "../checkpoints/operation.ts";
import { showNow } from "../now/operation.ts";
import { searchAll, searchTranscripts } from "../search/operation.ts";
import { listSessions, readTurns, showSession } from "../sessions/operation.ts";
import { why } from "../why/operation.ts";
import { type BrowseAnswer, BrowseAnswers, type BrowseQuestion, makeQuestionKey } from "./answers.ts";
import {
  type BrowseState,
  buildView,
  computeContentHeight,
  drawFrame,
  getCurrentPage,
  smallest,
} from "./frame.ts";
import type { Drawn, Key } from "./ink.ts";
import { type Effect, handleKey } from "./press.ts";
import type { BrowseSurroundings, BrowseView } from "./view.ts";

const askable = {
  now: showNow,
  sessions: listSessions,
  session: showSession,
  turns: readTurns,
  searchAll,
  searchTranscripts,
  why,
  checkpoints: listCheckpoints,
  checkpoint: showCheckpoint,
} satisfies Record<BrowseQuestion["route"], Operation>;

/** Searches wait for the next key for so long. Milliseconds. */
const typingMs = 60;

interface PageSurroundings {
  project: Project;
  name: string;
  /** The worktree that files are opened in. */
  root: string;
  colors: Palette;
  locate: BrowseSurroundings["locate"];
}

/** The page while it is shown: holds its state, asks what is not known yet, and does what keys ask for. */
export class BrowsedPage implements Drawn {
  #state: BrowseState;
  readonly #place: PageSurroundings;
  readonly #answers = new BrowseAnswers();
  readonly #asked = new Map<string, AbortController>();
  #lines: readonly string[] = [];
  #onChange = () => {};
  /** Ends the drawing: for good, or for an editor. */
  #end: (next: Effect | null | Error) => void = () => {};

  constructor(state: BrowseState, place: PageSurroundings) {
    this.#state = state;
    this.#place = place;
  }

  /** @returns when the reader leaves, or the signal is aborted */
  async show(signal: AbortSignal): Promise<void> {
    const { drawWithInk } = await import("./ink.ts");
    const onResize = () => {
      // Whatever the terminal made of the old lines.
      process.stdout.write("\u001b[H\u001b[2J");
      this.#change();
    };
    process.stdout.on("resize", onResize);
    try {
      for (;;) {
        const ended = new Promise<Effect | null | Error>((resolve) => {
          this.#end = resolve;
          signal.addEventListener("abort", () => resolve(null));
          process.stdin.once("end", () => resolve(null));
        });
        process.stdout.write("\u001b[H\u001b[2J");
        this.#change();
        const drawing = drawWithInk(this);
        const next = await ended;
        drawing.stop();
        if (next instanceof Error) throw next;
        if (next?.kind !== "edit") return;
        await this.#edit(next.file, next.line);
      }
    } finally {
      process.stdout.off("resize", onResize);
      for (const asked of this.#asked.values()) asked.abort();
    }
  }

  lines = () => this.#lines;

  subscribe = (onChange: () => void) => {
    this.#onChange = onChange;
    return () => {
      this.#onChange = () => {};
    };
  };

  /** Keys that come together, as when one is held, count one by one, unless they are text. */
  handleKeys(key: Key): void {
    let rest = "typed" in key ? [...key.typed] : [];
    if ("name" in key) this.#press(key);
    while (rest.length > 0) {
      const now = this.#state.isTyping ? rest : rest.slice(0, 1);
      rest = rest.slice(now.length);
      this.#press({ typed: now.join("") });
    }
  }

  #press(key: Key): void {
    try {
      const { view, around } = this.#look();
      const { state, effect } = handleKey(this.#state, key, view, around);
      this.#state = state;
      if (effect?.kind === "copy") {
        process.stdout.write(`\u001b]52;c;${Buffer.from(effect.text).toString("base64")}\u0007`);
      } else if (effect?.kind === "ask again") this.#answers.clear();
      else if (effect) this.#end(effect);
      this.#change();
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #look(): { view: BrowseView; around: BrowseSurroundings } {
    const { columns = 80, rows = 24 } = process.stdout;
    const { colors, locate } = this.#place;
    const around: BrowseSurroundings = {
      screen: { columns, colors, now: Date.now() },
      height: computeContentHeight(rows),
      answers: this.#answers,
      locate,
    };
    return { view: buildView(getCurrentPage(this.#state), around), around };
  }

  #change(): void {
    const { columns = 80, rows = 24 } = process.stdout;
    try {
      const { view, around } = this.#look();
      this.#lines =
        columns < smallest.columns || rows < smallest.rows
          ? [`Too small: it takes ${smallest.columns} columns, ${smallest.rows} rows`.slice(0, columns)]
          : drawFrame(this.#state, view, this.#place.name, around);
      this.#ask(view.asks);
      this.#onChange();
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Asks what is neither known nor asked, and no longer what is not wanted any more. */
  #ask(questions: readonly BrowseQuestion[]): void {
    const wanted = new Set(questions.map(makeQuestionKey));
    for (const [key, asked] of this.#asked) if (!wanted.has(key)) asked.abort();
    for (const question of questions) {
      if (!this.#answers.has(question) && !this.#asked.has(makeQuestionKey(question)))
        void this.#get(question);
    }
  }

  async #get(question: BrowseQuestion): Promise<void> {
    const key = makeQuestionKey(question);
    const asked = new AbortController();
    const { signal } = asked;
    this.#asked.set(key, asked);
    const { route, request } = question;
    try {
      if (route === "searchAll") await sleep(typingMs, undefined, { signal });
      const value = await call(askable[route] as Operation, request, this.#place.project, { signal });
      this.#answers.set(question, { value } as BrowseAnswer<BrowseQuestion["route"]>);
    } catch (error) {
      if (!signal.aborted) this.#answers.set(question, { error: explainError(error) });
    }
    if (this.#asked.get(key) === asked) this.#asked.delete(key);
    if (!signal.aborted) this.#change();
  }

  /** Gives the terminal to the reader's editor. */
  async #edit(file: string, line: number): Promise<void> {
    const { VISUAL, EDITOR } = process.env;
    const editor = VISUAL || EDITOR;
    if (!editor) {
      this.#state = { ...this.#state, message: "Set $EDITOR to open files." };
      return;
    }
    const path = join(this.#place.root, file);
    const place = /\b(?:code|codium|cursor|windsurf)\b/.test(editor)
      ? ["-g", `${path}:${line}`]
      : [`+${line}`, path];
    // Else this process would read keys that are for the editor. Ink lets go of the input with the next tick.
    await setImmediate();
    process.stdin.pause();
    await setImmediate();
    // It may have options: `EDITOR="code --wait"`.
    const [program, ...args] = findUserCommand(editor, place) ?? [];
    const child = program === undefined ? null : spawn(program, args, { stdio: "inherit" });
    const [code] = child === null ? [127] : await once(child, "close");
    process.stdout.write("\u001b[?1049h\u001b[?25l");
    if (code !== 0) this.#state = { ...this.#state, message: `The editor ended with ${code}.` };
  }
}
