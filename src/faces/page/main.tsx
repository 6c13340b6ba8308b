import { render } from "preact";
import { signInWithCode } from "../../page/api/ask.ts";
import { followEditor } from "../../page/api/editor.ts";
import { readTelling } from "../../page/api/tell.ts";
import { followTime } from "../../page/components/time.tsx";
import { route } from "../../page/router.ts";
import { App } from "./app.tsx";
import { listenForKeys } from "./shell/keys.ts";
import { applyTheme, takeEditorTheme } from "./shell/theme.ts";
import { findView, loadView } from "./views.ts";
import "../../page/styles/tokens.css";
import "../../page/styles/base.css";
import "../../page/styles/shell.css";
import "../../page/styles/components.css";
import "../../page/styles/panels.css";

applyTheme();
followEditor(takeEditorTheme);
readTelling();
const signedIn = signInWithCode();
const view = findView(route.value.path);
// If it cannot be loaded, the view says so.
await Promise.all([signedIn, view && loadView(view).catch(() => {})]);
listenForKeys();
followTime();
render(<App />, document.getElementById("app")!);
// What the browser lets it do is a convenience.
navigator.serviceWorker?.register("/service-worker.js").catch(() => {});
