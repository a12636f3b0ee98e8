#!/usr/bin/env node
try {
  const { main } = await import("../dist/main.js");
  await main(process.argv.slice(2));
} catch (error) {
  const isMissing =
    error?.code === "ERR_MODULE_NOT_FOUND" && String(error.url ?? error.message).includes("dist");
  if (!isMissing) throw error;
  process.stderr.write("lemmata is not built, or only in part: run `npm run build` in its folder\n");
  process.exitCode = 2;
}
