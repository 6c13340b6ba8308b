import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { locate, parsePlace } from "../../answers/file-place.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { TouchedCode } from "../../protocol/graph.ts";
import { describeCertainty, nameInFull } from "../../protocol/reading/evidence.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { formatCount, formatHeading, toPrintable, wrapWithIndent } from "../../terminal/text.ts";
import { findImpact, type ImpactAnswer, type impactRequest } from "./operation.ts";

/** Definitions that are asked about and named. */
const targetsShown = 5;

/** `pm code impact`. */
export async function impactCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Shaped<typeof impactRequest>,
): Promise<void> {
  const project = await findProject(cwd);
  const isFile = (name: string) => existsSync(resolve(cwd, name));
  const of = words.map((word) => {
    const { file, lines } = parsePlace(word, isFile);
    if (!isFile(file)) return word;
    return `${locate(project, cwd, file)}${lines === null ? "" : `:${lines.first}-${lines.last}`}`;
  });
  const found = await call(findImpact, { ...options, of }, project);
  output.result(found, () => renderImpact(found, output));
}

function renderImpact({ targets, touched, total, tests, notes }: ImpactAnswer, screen: Screen): string {
  const { colors } = screen;
  const named = targets
    .slice(0, targetsShown)
    .map((target) => `${toPrintable(nameInFull(target))} (${toPrintable(target.file)}:${target.line})`);
  const more = targets.length > targetsShown ? ` and ${targets.length - targetsShown} more` : "";
  const parts: string[] = [];
  if (targets.length > 0)
    parts.push(wrapWithIndent(`${colors.bold("Change of")} ${named.join(", ")}${more}`, screen).join("\n"));
  const [ofTests, others] = [
    touched.filter(({ is_test }) => is_test),
    touched.filter(({ is_test }) => !is_test),
  ];
  if (ofTests.length > 0)
    parts.push([formatHeading(`Tests (${tests})`, colors), ...formatTouchedRows(ofTests, screen)].join("\n"));
  if (others.length > 0)
    parts.push(
      [formatHeading(`Code (${total - tests})`, colors), ...formatTouchedRows(others, screen)].join("\n"),
    );
  if (total === 0 && targets.length > 0) parts.push("No known code uses it.");
  if (touched.length < total)
    parts.push(colors.dim(`${touched.length} of ${formatCount(total, "place")}; --limit shows more`));
  if (notes.length > 0)
    parts.push(
      notes
        .flatMap((note) => wrapWithIndent(toPrintable(note), screen))
        .map(colors.dim)
        .join("\n"),
    );
  return parts.join("\n\n");
}

export function formatTouchedRows(touched: readonly TouchedCode[], screen: Screen): string[] {
  const { colors } = screen;
  return touched.flatMap((touch) => {
    const { file, line, kind, distance, how, through, lines } = touch;
    const what = kind === "file" ? "" : ` ${toPrintable(nameInFull(touch))}`;
    const where = kind === "file" ? (lines[0] ?? line) : line;
    // A caller of a caller says what it calls; --depth is how far from the change that is.
    const sure =
      distance > 1 ? describeCertainty(touch, `indirect, depth ${distance}`) : describeCertainty(touch);
    const way = `${verbs[how]} ${toPrintable(through)}${sure}`;
    return wrapWithIndent(
      `${colors.place(`${toPrintable(file)}:${where}`)}${what}  ${colors.dim(way)}`,
      screen,
    );
  });
}

const verbs = {
  call: "calls",
  construct: "creates",
  base: "extends",
  use: "uses",
  type: "uses type",
} as const satisfies Record<TouchedCode["how"], string>;
