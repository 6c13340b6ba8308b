import { render } from "preact";
import { signInWithCode } from "./api/sign-in.ts";
import { App } from "./app.tsx";
import { listenForKeys } from "./shell/keys.ts";
import { applyTheme } from "./shell/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/components.css";
import "./styles/panels.css";

applyTheme();
await signInWithCode();
listenForKeys();
render(<App />, document.getElementById("app")!);
