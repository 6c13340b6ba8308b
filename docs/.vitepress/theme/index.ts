import theme from "vitepress/theme";
import { copyCommands } from "./copy-commands.ts";
import "./console.css";
import "./home.css";
import "./tables.css";

export default {
  extends: theme,
  enhanceApp() {
    if (typeof window !== "undefined") window.addEventListener("click", copyCommands, { capture: true });
  },
};
