import type { SessionBrief } from "../../../protocol/operations/sessions.ts";
import { briefParts } from "../../../protocol/reading/brief.ts";
import { oneLine } from "../../text/text.ts";

/** Of one text. Characters. */
const longest = 200;
/** Of one list. */
const most = 4;

/** The parts that fit in so many characters of JSON; each goes where there is room after those before it. */
export function briefWithin(brief: SessionBrief, room: number): Partial<SessionBrief> {
  let fitting: Partial<SessionBrief> = {};
  for (const [name] of briefParts) {
    const value = shortened(brief[name]);
    if (value === null || value.length === 0) continue;
    const with_ = { ...fitting, [name]: value };
    if (JSON.stringify(with_).length <= room) fitting = with_;
  }
  // A turn that ended with an answer says nothing.
  if (fitting.state === "completed") delete fitting.state;
  return fitting;
}

function shortened(value: SessionBrief[keyof SessionBrief]) {
  if (value === null) return null;
  if (typeof value === "string") return oneLine(value, longest);
  return value
    .slice(0, most)
    .map((one) =>
      typeof one === "string"
        ? oneLine(one, 120)
        : { hash: one.hash.slice(0, 8), subject: oneLine(one.subject, 80) },
    );
}

export function renderBrief(brief: Partial<SessionBrief>): string {
  return briefParts
    .flatMap(([name, title]) => {
      const value = brief[name];
      if (value === undefined || value === null) return [];
      if (typeof value === "string") return [`${title}: ${value}`];
      const items = value.map((one) => (typeof one === "string" ? one : `${one.hash} ${one.subject}`));
      return [`${title}: ${items.join(name === "files" ? ", " : "; ")}`];
    })
    .join("\n");
}
