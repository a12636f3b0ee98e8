// The page's own policy, so that it holds on any host; the server of `lemmata lab` sends the same as a header.
import type { Plugin } from "vite";
import { policy } from "./policy.ts";

export const contentSecurityPolicy = (): Plugin => ({
  name: "content-security-policy",
  apply: "build", // the development server writes scripts into the page
  transformIndexHtml: () => [
    {
      tag: "meta",
      attrs: { "http-equiv": "Content-Security-Policy", content: policy },
      injectTo: "head-prepend",
    },
  ],
});
