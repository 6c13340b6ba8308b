const stored = "pommel.place";

let place = read();

/** Null where the browser keeps nothing for the page. */
function read(): string | null {
  if (typeof sessionStorage === "undefined") return null;
  return sessionStorage.getItem(stored) ?? localStorage.getItem(stored);
}

/** The directory whose project this tab shows: at first the one that was opened last. null: none was opened yet. */
export const placeShown = (): string | null => place;

/** Kept for this tab, and for tabs that are opened later. */
export function showPlace(root: string): void {
  place = root;
  sessionStorage.setItem(stored, root);
  localStorage.setItem(stored, root);
}
