import { signal } from "@preact/signals";

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const stored = "pommel.theme";

/** What the reader chose; by default the system's. */
export const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(stored)) ?? "system");

export function applyTheme(): void {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

/** The next of system, light and dark. */
export function switchTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
  localStorage.setItem(stored, theme.value);
  applyTheme();
}
