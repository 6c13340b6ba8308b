import { signal } from "@preact/signals";

const stored = "pommel.place";

const place = signal(read());

/** Null where the browser keeps nothing for the page. */
function read(): string | null {
  if (typeof sessionStorage === "undefined") return null;
  return sessionStorage.getItem(stored) ?? localStorage.getItem(stored);
}

/**
 * The directory whose project this tab shows: at first the one that was opened last. null: none was opened yet. A component
 * that reads it is drawn anew when it is another.
 */
export const placeShown = (): string | null => place.value;

const storedAll = "pommel.everywhere";
const showsAll = signal(typeof sessionStorage !== "undefined" && sessionStorage.getItem(storedAll) !== null);

/** Whether lists are of all projects, not only of the one that is shown. */
export const isEverywhere = (): boolean => showsAll.value;

/** Kept for this tab. */
export function showEverywhere(isWanted: boolean): void {
  showsAll.value = isWanted;
  if (isWanted) sessionStorage.setItem(storedAll, "yes");
  else sessionStorage.removeItem(storedAll);
}

/** Kept for this tab, and for tabs that are opened later. */
export function showPlace(root: string): void {
  place.value = root;
  sessionStorage.setItem(stored, root);
  localStorage.setItem(stored, root);
}
