import type { ComponentType } from "preact";
import { later } from "../page/components/later.tsx";
import type { NowEverywhereResponse } from "./now/operation.ts";

/** What features show on Now, below the agents at work. */
export const nowParts: Readonly<Record<string, ComponentType>> = {
  rules: later(async () => (await import("./rules/view/spoken.tsx")).SpokenNow),
  radar: later(async () => (await import("./radar/view/being-changed.tsx")).BeingChanged),
};

/** What features say of a session that is to be looked at. */
export const toLookAtParts: Readonly<
  Record<string, ComponentType<{ session: NowEverywhereResponse["to_look_at"][number] }>>
> = {
  review: later(async () => (await import("./review/view/undone.tsx")).Undone),
};
