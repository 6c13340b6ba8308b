// Where the page is opened while no daemon runs, it says how to start one. It keeps nothing, and sees no answer: all else goes past it.

const style =
  "body { max-width: 32em; margin: 20vh auto 0; padding: 0 16px; font: 16px / 1.5 system-ui, sans-serif; } code { font-family: monospace; }";

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Pommel is not running</title>
<style>${style}</style>
<main>
<h1>Pommel is not running</h1>
<p>Run <code>pm open</code> in a project. It starts Pommel's daemon, and signs this browser in.</p>
<p><a href="/">Try again</a></p>
</main>
</html>`;

async function sayHowToStart() {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  const styleHash = btoa(String.fromCharCode(...new Uint8Array(hash)));
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
  return new Response(page, { status: 503, headers });
}

addEventListener("install", () => self.skipWaiting());
addEventListener("activate", (event) => event.waitUntil(self.registration.navigationPreload?.enable()));

addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  const load = async () => (await event.preloadResponse) ?? fetch(event.request);
  event.respondWith(load().catch(sayHowToStart));
});
