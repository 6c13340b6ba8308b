import type { ComponentType } from "preact";
import { DeadEndCard } from "./dead-ends/view/card.tsx";
import { DecidedCard } from "./decisions/view/card.tsx";
import { FixedCard } from "./fix/view/card.tsx";
import { RanCard } from "./how/view/card.tsx";

/** What features answer on the page, above what a search found, and to "" before anything is asked; nothing where they are not sure. */
export const answerCards: Readonly<Record<string, ComponentType<{ words: string }>>> = {
  decisions: DecidedCard,
  fix: FixedCard,
  how: RanCard,
  "dead-ends": DeadEndCard,
};
