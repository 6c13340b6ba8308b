import { Box, render, Text, useInput } from "ink";
import { createElement, useSyncExternalStore } from "react";

/**
 * All that ink does here: reads keys, and draws lines where they changed. It is a bundle of its own (tsdown.config.ts), as
 * only `pm browse` needs it, and its layout engine only loads as a module.
 */

/** A key by its name ("up", "page down", "ctrl c"), or the text that was typed or pasted. */
export type Key = { name: string } | { typed: string };

export interface Drawn {
  /** No line is wider than the terminal, and the last row is free. The same array as long as nothing changed. */
  lines(): readonly string[];
  /** Calls back on each change. @returns ends that */
  subscribe(onChange: () => void): () => void;
  handleKeys(key: Key): void;
}

/** Draws until `stop` is called. */
export function drawWithInk(drawn: Drawn): { stop: () => void } {
  const { unmount } = render(createElement(Page, { drawn }), {
    stdout: makeEndlessStream(process.stdout),
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { stop: unmount };
}

/** On a screen that became too small, ink would clear what was there before the page, too. */
function makeEndlessStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stream, {
    get(target, name) {
      if (name === "rows") return Number.POSITIVE_INFINITY;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function Page({ drawn }: { drawn: Drawn }) {
  const lines = useSyncExternalStore(drawn.subscribe, drawn.lines);
  useInput((input, key) => {
    const named = Object.entries(names).find(([name]) => key[name as keyof typeof names]);
    if (named) drawn.handleKeys({ name: named[1] });
    else if (key.ctrl) drawn.handleKeys({ name: `ctrl ${input}` });
    else if (key.meta || input === "") return;
    else drawn.handleKeys({ typed: input });
  });
  return createElement(
    Box,
    { flexDirection: "column" },
    lines.map((line, i) => createElement(Text, { key: i, wrap: "truncate-end" }, line === "" ? " " : line)),
  );
}

/** Ink's names of keys, and ours. */
const names = {
  upArrow: "up",
  downArrow: "down",
  leftArrow: "left",
  rightArrow: "right",
  pageUp: "page up",
  pageDown: "page down",
  home: "home",
  end: "end",
  return: "enter",
  escape: "escape",
  tab: "tab",
  backspace: "backspace",
  // What terminals send for the key above Enter.
  delete: "backspace",
} as const;
