import { signInPath } from "../../protocol/endpoints.ts";
import { goTo } from "../router.ts";
import { AskError, send, signedOut } from "./ask.ts";
import { showPlace } from "./place.ts";

/**
 * Exchanges the one-time code in the address, if there is one, for a cookie, and removes it from the address and the
 * browser's history. A browser that is signed in already stays so if the code is no longer valid; but then the place in the
 * address may be anybody's, and does not count.
 */
export async function signInWithCode(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const code = given.get("code");
  if (code === null) return;
  goTo(`#${given.get("to") ?? "/"}`, { replace: true });
  try {
    await send(signInPath, "POST", { code });
    const place = given.get("place");
    if (place !== null) showPlace(place);
  } catch (error) {
    // Whether a cookie from before is still good shows with the first question.
    if (error instanceof AskError && error.code === "unauthorized") lastRefusal = error;
  }
  signedOut.value = null;
}

/** Why the code in the address did not work; null: there was none, or it did. */
export let lastRefusal: AskError | null = null;
