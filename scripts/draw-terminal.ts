import stringWidth from "fast-string-width";

const cell = { width: 8.4, height: 18 };
const margin = 16;
/** Select Graphic Rendition: the class of each number that `pm` uses, and what ends it. */
const styles: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
  90: "dim",
};
const ends: Readonly<Record<string, readonly string[]>> = {
  22: ["bold", "dim"],
  39: ["red", "green", "yellow", "blue", "magenta", "cyan", "dim"],
};

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A line's text with its styles, as spans that each stand in their own column. */
function drawSpans(line: string): string {
  const spans: string[] = [];
  const active = new Set<string>();
  let column = 0;
  for (const [, code, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (text === undefined) {
      for (const one of (code || "0").split(";")) {
        const style = styles[one];
        if (style !== undefined) active.add(style);
        else for (const style of ends[one] ?? [...active]) active.delete(style);
      }
      continue;
    }
    const x = (margin + column * cell.width).toFixed(1);
    spans.push(`<tspan x="${x}" class="${[...active].join(" ")}">${escapeText(text)}</tspan>`);
    column += stringWidth(text);
  }
  return spans.join("");
}

/**
 * Draws what a command printed in a terminal as SVG, which follows the reader's light or dark mode.
 * @param output with the colours that `pm` uses
 */
export function drawTerminal(command: string, output: string, columns: number): string {
  const lines = [`\x1b[2m$\x1b[22m \x1b[1m${command}\x1b[22m`, ...output.trimEnd().split("\n")];
  const width = Math.round(columns * cell.width + 2 * margin);
  const height = lines.length * cell.height + 2 * margin;
  const text = lines.map((line, i) => `<text y="${margin + 13 + i * cell.height}">${drawSpans(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(command).replaceAll('"', "&quot;")}">
<style>
svg { background: #fff; color: #1f2328; font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
text { fill: currentColor; white-space: pre; }
.bold { font-weight: 600; } .dim { fill: #6e7781; } .red { fill: #cf222e; } .green { fill: #116329; }
.yellow { fill: #7d4e00; } .blue { fill: #0550ae; } .magenta { fill: #8250df; } .cyan { fill: #1b7c83; }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117; color: #e6edf3; }
.dim { fill: #8b949e; } .red { fill: #ff7b72; } .green { fill: #3fb950; } .yellow { fill: #d29922; }
.blue { fill: #79c0ff; } .magenta { fill: #d2a8ff; } .cyan { fill: #39c5cf; }
}
</style>
${text.join("\n")}
</svg>
`;
}
