// Rewrites older operator forms (opset 7 and up) as those of opset 20, so that a pass knows one form only.
export { canonical, canonicalOpset } from "./upgrade/canonical.ts";
