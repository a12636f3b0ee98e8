import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { catalogue } from "./build/catalogue.ts";
import { contentSecurityPolicy } from "./build/content-security-policy.ts";
import { digits } from "./build/digits.ts";
import { woff2Fonts } from "./build/woff2-fonts.ts";

const conditions = ["lemmata-source", "module", "browser", "development|production"];

export default defineConfig({
  base: "./", // any folder of any host will do
  resolve: { conditions },
  plugins: [svelte(), catalogue(), contentSecurityPolicy(), digits(), woff2Fonts()],
  worker: { format: "es" },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
