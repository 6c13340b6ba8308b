import { render } from "preact";
import { signInWithCode } from "./api/ask.ts";
import { App } from "./app.tsx";
import { followTime } from "./components/time.tsx";
import { route } from "./router.ts";
import { listenForKeys } from "./shell/keys.ts";
import { applyTheme } from "./shell/theme.ts";
import { loadView, viewAt } from "./views.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/components.css";
import "./styles/panels.css";

applyTheme();
const signedIn = signInWithCode();
const view = viewAt(route.value.path);
// If it cannot be loaded, the view says so.
await Promise.all([signedIn, view && loadView(view).catch(() => {})]);
listenForKeys();
followTime();
render(<App />, document.getElementById("app")!);
