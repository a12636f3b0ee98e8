// The page's colour tokens as numbers, for canvases; read anew when the theme changes.
import { theme } from "../theme.svelte.ts";
import { type DivergingPalette, parseRgb } from "./colours.ts";

let scheme = $state(0);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  scheme++;
});

function token(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export interface Palette extends DivergingPalette {
  readonly ink: string;
  readonly card: string;
  readonly classes: readonly [string, string];
}

/** The colours of now; reading them in an effect repeats it when they change. */
export function palette(): Palette {
  void [theme(), scheme];
  const classes = [token("series-1"), token("series-2")] as const;
  return {
    negative: parseRgb(classes[0]),
    zero: parseRgb(token("card")),
    positive: parseRgb(classes[1]),
    ink: token("ink"),
    card: token("card"),
    classes,
  };
}
