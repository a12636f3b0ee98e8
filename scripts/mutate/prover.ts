// Asks a child process whether lemmata notice a damage; one that does not answer in time is ended, which counts as noticed.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Reply, Request } from "./trials.ts";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

export class Prover {
  readonly #core: string;
  #child: ChildProcess | undefined;

  constructor(core: string) {
    this.#core = core;
  }

  /** The reply, or undefined when the child died or took longer than this. */
  async ask(request: Request, milliseconds: number): Promise<Reply | undefined> {
    if (!this.#child) {
      this.#child = fork(here("trials.ts"), [this.#core], {
        execArgv: ["--import", "tsx", "--conditions=lemmata-source", "--import", here("asleep.ts")],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      await this.#reply(120_000); // it says when it is ready
    }
    this.#child?.send(request);
    return this.#reply(milliseconds);
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #reply(milliseconds: number): Promise<Reply | undefined> {
    const child = this.#child!;
    return new Promise((resolve) => {
      const finish = (reply?: Reply) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (!reply) this.end();
        resolve(reply);
      };
      const timer = setTimeout(finish, milliseconds);
      child.once("message", (reply: Reply) => finish(reply));
      child.once("exit", () => finish());
    });
  }
}
