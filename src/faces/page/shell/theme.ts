import { signal } from "@preact/signals";

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const stored = "pommel.theme";

/** What the reader chose; by default the system's. */
export const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(stored)) ?? "system");

/** What the editor that shows the page looks like; null: no editor shows it. */
let editorTheme: "light" | "dark" | null = null;

export function takeEditorTheme(given: "light" | "dark"): void {
  editorTheme = given;
  applyTheme();
}

export function applyTheme(): void {
  const shown = theme.value === "system" ? editorTheme : theme.value;
  if (shown === null) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = shown;
}

/** The next of system, light and dark. */
export function switchTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
  localStorage.setItem(stored, theme.value);
  applyTheme();
}
