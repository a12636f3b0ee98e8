// KaTeX offers each of its fonts in three formats; a browser that runs the page reads the smallest.
import type { Plugin } from "vite";

const olderFormats = /,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g;

export const woff2Fonts = (): Plugin => ({
  name: "woff2-fonts",
  enforce: "pre",
  transform: (code, id) =>
    /katex[^?]*\.css/.test(id) ? { code: code.replace(olderFormats, ""), map: null } : undefined,
});
