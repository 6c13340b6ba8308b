import type { Page } from "playwright-core";

/**
 * A font of 596 bytes in which every character is a box, half as wide as the font is high: with it texts take the same room on every
 * machine. Made with fontTools: one glyph, 1000 units an em, ascent 800, descent 200, advance 500, for U+0020 to U+FFFF (cmap format 13).
 */
const boxes =
  "AAEAAAAKAIAAAwAgT1MvMkUAQ48AAAEoAAAAYGNtYXAAEQBTAAABjAAAAChnbHlmW2zABgAAAbgAAAAaaGVhZC9xRCoAAACsAAAANmhoZWEFFgFgAAAA5AAAACRobXR4AfQAMgAAAYgAAAAEbG9jYQAAAA0AAAG0AAAABG1heHAAAwAGAAABCAAAACBuYW1lQg811wAAAdQAAABacG9zdAADAAAAAAIwAAAAJAABAAAAAQAAc3ueKV8PPPUAAwPoAAAAAOczgHkAAAAA5zOAeQAyAAABwgJYAAAAAwACAAAAAAAAAAEAAAMg/zgAAAH0ADIAMgHCAAEAAAAAAAAAAAAAAAAAAAABAAEAAAABAAQAAQAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAwH0AZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPz8/PwAAACD//wMg/zgAAAMgAMgAAAAAAAAAAAAAAAAAAAAgAAAB9AAyAAAAAQADAAoAAAAMAA0AAAAAABwAAAAAAAAAAQAAACAAAP//AAAAAAAAAA0AAQAyAAABwgJYAAMAADMRIREyAZACWP2oAAAAAAAABAA2AAEAAAAAAAEABQAAAAEAAAAAAAIABwAFAAMAAQQJAAEACgAMAAMAAQQJAAIADgAWQm94ZXNSZWd1bGFyAEIAbwB4AGUAcwBSAGUAZwB1AGwAYQByAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAA=";

/** Nor does it count how long an answer took. */
const style = `@font-face { font-family: boxes; src: url(data:font/ttf;base64,${boxes}); }
:root { --sans: boxes; --mono: boxes; }
.took { display: none; }
* { animation: none !important; transition: none !important; caret-color: transparent !important; }`;

/** Draws all texts in boxes of the same width. The page has to bypass its Content-Security-Policy. */
export async function drawTextsAsBoxes(page: Page): Promise<void> {
  await page.addStyleTag({ content: style });
  await page.evaluate(() => document.fonts.load("14px boxes"));
}

/**
 * An element of a view: its kind, where it is (`x y width height`, from the corner of the element around it, and how many
 * characters that one has), and how it is drawn.
 */
export interface Look {
  kind: string;
  box: string;
  drawn: string;
}

/** The first element of each kind below \`root\`: a kind is a tag with its classes, in the nearest element that has some. */
export function findLooks(root: string): Look[] {
  const looks = new Map<string, Look>();
  const name = (one: Element) => [one.localName, ...[...one.classList].sort()].join(".");
  const top = document.querySelector(root)!;
  for (const one of [top, ...top.querySelectorAll<HTMLElement>("*")]) {
    // What the editor and pictures are made of is not the page's own, and code is coloured a little later.
    if (!one.checkVisibility() || one.closest(".hidden, svg *, .cm-editor *, code *")) continue;
    const owner = one.classList.length > 0 ? null : one.parentElement?.closest("[class], main, body");
    const kind = owner ? `${name(owner)} ${name(one)}` : name(one);
    if (looks.has(kind)) continue;
    const { x, y, width, height } = one.getBoundingClientRect();
    const { color, backgroundColor, borderTopWidth, borderTopColor, fontSize, fontWeight } =
      getComputedStyle(one);
    const border = borderTopWidth === "0px" ? "" : ` border ${borderTopWidth} ${borderTopColor}`;
    const ground = backgroundColor === "rgba(0, 0, 0, 0)" ? "" : ` on ${backgroundColor}`;
    const around = one.parentElement!;
    const corner = around.getBoundingClientRect();
    const place = [x - corner.x, y - corner.y, width, height].map(Math.round);
    const box = [...place, around.textContent.length].join(" ");
    looks.set(kind, { kind, box, drawn: `${fontSize} ${fontWeight} ${color}${ground}${border}` });
  }
  return [...looks.values()];
}
