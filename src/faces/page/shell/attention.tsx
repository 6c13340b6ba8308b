import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { describeWait } from "../../../features/now/words.ts";
import { useNow } from "../../../page/api/use-answer.ts";
import { isTelling } from "../../../page/api/written.ts";
import { nameSession } from "../../../page/components/words.ts";
import { goTo, linkInto, linkToSession } from "../../../page/router.ts";

/** Agents that wait for the reader, in all projects. */
export const waitingCount = signal(0);

const icons = {
  plain: "/icon.svg",
  waiting: new URL("../icon-waiting.svg", import.meta.url).href,
};

/** Counts agents that wait in title and icon, and tells of each once, unless the reader looks at the page. */
export function Attention() {
  const { data } = useNow();
  const told = useRef<Set<string> | null>(null);
  const waiting = data?.running.filter((session) => session.waiting !== null) ?? [];
  useEffect(() => {
    waitingCount.value = waiting.length;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = waiting.length > 0 ? icons.waiting : icons.plain;
    void navigator.setAppBadge?.(waiting.length).catch(() => {});
  }, [waiting.length]);
  useEffect(() => {
    if (data === null) return;
    const known = new Set(waiting.map(({ id, waiting: since }) => `${id} ${since?.since}`));
    for (const session of waiting) {
      const isNew = told.current !== null && !told.current.has(`${session.id} ${session.waiting?.since}`);
      if (!isNew || !isTelling.value || isLookedAt()) continue;
      const name = nameSession(session.id, session.title);
      const body = [describeWait(session), session.pending].filter(Boolean).join(": ");
      const notification = new Notification(name, { body, tag: session.id, icon: icons.waiting });
      notification.onclick = () => {
        window.focus();
        goTo(linkInto(session.project, linkToSession(session.id, session.turns)));
      };
    }
    told.current = known;
  }, [data]);
  return null;
}

/** The page is in sight, and its window is the one that the reader works in. */
const isLookedAt = (): boolean => document.visibilityState === "visible" && document.hasFocus();
