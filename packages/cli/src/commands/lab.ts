import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CommonOptions, print, printJson } from "../output.ts";
import { serveSite } from "../site-server.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly port?: number;
  readonly open: boolean;
}

const usualPort = 4180;
const greatestPort = 65535;

/** The built site: beside the bundled command line, or where the lab's own build puts it. */
function siteFolder(): string {
  const places = ["./lab", "../../../lab/dist"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = places.find((place) => existsSync(`${place}/index.html`));
  if (!found) throw new UsageError("the lab is not built; `npm run build` builds it");
  return found;
}

/** A port that was asked for is that port; the usual one gives way to any free one. */
async function served(folder: string, port: number | undefined) {
  try {
    return await serveSite(folder, port ?? usualPort);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    if (port === undefined) return serveSite(folder, 0);
    throw new UsageError(
      `port ${port} ${code === "EACCES" ? "is not allowed" : "is in use"}; --port 0 takes a free one`,
    );
  }
}

/** Opens the system's browser; without one, the address on the screen is enough. */
function openBrowser(url: string): void {
  const [command, ...words] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", ""]
        : ["xdg-open"];
  spawn(command!, [...words, url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}

/** `lemmata lab` */
export default async function labCommand({ port, open, json, quiet }: Options): Promise<void> {
  if (port !== undefined && port > greatestPort)
    throw new UsageError(`a port is at most ${greatestPort}, not ${port}`);
  const { server, url } = await served(siteFolder(), port);
  if (json) printJson({ url });
  else print(quiet ? url : `The lab is at ${url}\nEverything runs in the browser. Ctrl-C ends it.`);
  if (open && !json && process.stdout.isTTY) openBrowser(url);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  server.closeAllConnections();
  server.close();
}
