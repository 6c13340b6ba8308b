import {
  ago,
  caution,
  type Document,
  faint,
  type LinePart,
  line,
  type TextPiece,
  table,
} from "../../answers/document.ts";
import type { ResponseOf } from "../../answers/operation.ts";
import { formatCount } from "../../base/text/counted.ts";
import { toHomeRelative } from "../../terminal/text.ts";
import type { listProjects } from "./operation.ts";

type ProjectsAnswer = ResponseOf<typeof listProjects>;
type Checkout = ProjectsAnswer["projects"][number]["checkouts"][number];

/** The projects of this machine, the checkouts of each below it. */
export function wordProjects({ projects, totals }: ProjectsAnswer): Document {
  if (projects.length === 0)
    return [[line("No projects yet: search in one, or set Pommel up with `pm setup`.")]];
  const rows = projects.flatMap(
    ({ name, checkouts: [first, ...others], remote, sessions, turns, last_used_at }) => [
      [
        first ? wordPlace(first) : { text: name },
        wordUse(first, last_used_at),
        sessions?.toLocaleString("en") ?? "",
        turns?.toLocaleString("en") ?? "",
        { text: remote ?? "" },
      ],
      ...others.map((one) => [["  ", wordPlace(one)], wordUse(one, one.last_used_at), "", "", ""]),
    ],
  );
  const sum = `${formatCount(totals.projects, "project")}, ${formatCount(totals.sessions, "session")}, ${formatCount(totals.turns, "turn")}`;
  return [
    [
      table(
        [
          { title: "project", wraps: true },
          { title: "used" },
          { title: "sessions", isNumber: true, optional: 2 },
          { title: "turns", isNumber: true, optional: 3 },
          { title: "origin", wraps: true, optional: 1 },
        ],
        rows,
      ),
    ],
    [line(faint(sum))],
  ];
}

const wordPlace = ({ root, is_gone }: Checkout): TextPiece =>
  is_gone ? faint(toHomeRelative(root)) : { text: toHomeRelative(root), role: "place", path: root };

const wordUse = (checkout: Checkout | undefined, used: string): LinePart | null =>
  checkout === undefined || checkout.is_gone ? caution("gone") : ago(used);
