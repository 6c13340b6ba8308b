import { isTelling } from "./written.ts";

const stored = "pommel.tell";

/** As the reader chose before, if the browser still allows it. */
export function readTelling(): void {
  isTelling.value =
    localStorage.getItem(stored) === "1" &&
    typeof Notification !== "undefined" &&
    Notification.permission === "granted";
}

/** Asks the reader's browser whether it may show notifications. */
export async function beginTelling(): Promise<void> {
  localStorage.setItem(stored, "1");
  await Notification.requestPermission();
  readTelling();
}
