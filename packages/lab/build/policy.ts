// What the page may do, as its own meta element and as the header that `lemmata lab` sends.

/** Nothing but the page's own files; WebAssembly may compile; figures and formulas set styles inline. */
export const policy: string = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
