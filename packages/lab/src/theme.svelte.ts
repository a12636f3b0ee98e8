// Light, dark, or as the system has it.
export type Theme = "system" | "light" | "dark";
const key = "lemmata-theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // storage is switched off
  }
}

let chosen = $state<Theme>(stored());
apply(stored());

function apply(value: Theme): void {
  if (value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}

export const theme = (): Theme => chosen;

export function setTheme(value: Theme): void {
  chosen = value;
  apply(value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page, then.
  }
}
