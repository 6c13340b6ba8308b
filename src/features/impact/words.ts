import {
  type Document,
  type DocumentBlock,
  faint,
  heading,
  line,
  makeDocument,
  place,
  strong,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import type { TouchedCode } from "../../protocol/graph.ts";
import { describeCertainty, nameInFull } from "../../protocol/reading/evidence.ts";
import type { ImpactAnswer } from "./operation.ts";

/** Definitions that are asked about and named. */
const targetsShown = 5;

/** What a change of definitions touches: tests, then other code. */
export function wordImpact({ targets, touched, total, tests, notes }: ImpactAnswer): Document {
  const named = targets
    .slice(0, targetsShown)
    .map((target) => `${nameInFull(target)} (${target.file}:${target.line})`);
  const more = targets.length > targetsShown ? ` and ${targets.length - targetsShown} more` : "";
  const ofTests = touched.filter(({ is_test }) => is_test);
  const others = touched.filter(({ is_test }) => !is_test);
  return makeDocument(
    targets.length > 0 && [line(strong("Change of"), " ", { text: named.join(", ") }, more)],
    ofTests.length > 0 && [heading(`Tests (${tests})`), ...ofTests.map(wordTouched)],
    others.length > 0 && [heading(`Code (${total - tests})`), ...others.map(wordTouched)],
    total === 0 && targets.length > 0 && [line("No known code uses it.")],
    touched.length < total && [
      line(faint(`${touched.length} of ${formatCount(total, "place")}; --limit shows more`)),
    ],
    notes.map((text) => line(faint(text))),
  );
}

/** "src/a.ts:12 retry  calls sleep". */
function wordTouched(touch: TouchedCode): DocumentBlock {
  const { file, line: at, kind, distance, how, through, lines } = touch;
  const where = kind === "file" ? (lines[0] ?? at) : at;
  // A caller of a caller says what it calls; --depth is how far from the change that is.
  const sure =
    distance > 1 ? describeCertainty(touch, `indirect, depth ${distance}`) : describeCertainty(touch);
  return line(
    place(`${file}:${where}`),
    kind !== "file" && { text: ` ${nameInFull(touch)}` },
    "  ",
    faint(`${verbs[how]} ${through}${sure}`),
  );
}

const verbs = {
  call: "calls",
  construct: "creates",
  base: "extends",
  use: "uses",
  type: "uses type",
} as const satisfies Record<TouchedCode["how"], string>;
